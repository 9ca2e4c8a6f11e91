import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { scanRules } from '#policy';
import { nameToText } from '#wire';
import { builtInText } from './built-in.ts';

describe('the built-in list', () => {
  const names: string[] = [];
  const report = scanRules(Buffer.from(builtInText), {
    onRule: ({ name, nameLength }) => names.push(nameToText(name.slice(0, nameLength))),
  });

  it('has 100 to 200 valid rules and nothing else', () => {
    assert.deepEqual([report.skipped, report.invalid], [0, 0]);
    assert.ok(report.entries >= 100 && report.entries <= 200);
    assert.equal(report.formats.adblock, report.entries);
  });

  it('has no duplicates', () => {
    const isDuplicate = (name: string): boolean =>
      names.some((other) => name.endsWith(`.${other}`) || names.indexOf(name) !== names.lastIndexOf(name));
    assert.deepEqual(names.filter(isDuplicate), []);
  });

  it('does not block hosts that web pages need', () => {
    const needed = ['google.com', 'www.youtube.com', 'cdn.jsdelivr.net', 'github.com', 'fonts.gstatic.com'];
    const isBlocked = (name: string): boolean =>
      names.some((rule) => name === rule || name.endsWith(`.${rule}`));
    assert.deepEqual(needed.filter(isBlocked), []);
    assert.ok(isBlocked('securepubads.g.doubleclick.net'));
  });
});
