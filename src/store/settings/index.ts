// The door of the settings: their sources, their order of precedence, and the live state.

export { LiveSettings, type StoredSettings } from './live-settings.ts';
export { locate, type Located, machineDefaults } from './locate.ts';
export { type ResolvedSettings, resolveSettings, type SettingSource } from './resolve.ts';
export { elementPath, settingsView } from './settings-view.ts';
export { type Pinned, type PinnedSettings, readSources } from './sources.ts';
