# Builds the bundle of a checkout if it is out of date. The launcher reads this file with `.` and calls
# prepare_bundle; tools/build/stamp.ts calls sources_checksum. Needs $root, and $node to build.
# It runs before every command, so the usual case, no change since the build, costs only one `find`.
# A newer time alone proves nothing (a copied or checked-out file); then the checksum of the contents decides.

# The inputs of the bundle. Folders count too: the time of a folder changes when a file in it is deleted.
inputs='src tools/build tools/build.ts tools/run.ts package.json package-lock.json'

# One line for the contents and names of all inputs; tests are not part of the bundle.
sources_checksum() {
  (cd -- "$root" && find $inputs -type f ! -name '*.test.ts' -exec cksum {} + | LC_ALL=C sort | cksum)
}

# -cnewer compares the ctime, which programs cannot set. If `find` does not support it, the checksum decides.
has_newer_sources() {
  newer=$(cd -- "$root" && find $inputs ! -name '*.test.ts' -cnewer dist/built-from 2>/dev/null) || return 0
  [ -n "$newer" ]
}

is_fresh() {
  stamp=$root/dist/built-from
  [ -f "$root/dist/main.js" ] && [ -f "$stamp" ] || return 1
  has_newer_sources || return 0
  # Created before the contents are read, so that a later change is newer than the stamp.
  touch -- "$stamp.$$" 2>/dev/null || :
  if [ "$(sources_checksum)" = "$(cat -- "$stamp")" ]; then
    touch -r "$stamp.$$" -- "$stamp" 2>/dev/null || :
    rm -f -- "$stamp.$$"
    return 0
  fi
  rm -f -- "$stamp.$$"
  return 1
}

# On failure, $problem is the reason.
build_bundle() {
  if ! [ -d "$root/node_modules/rolldown" ]; then
    problem="the packages that build it are not installed. Run \`npm ci\` in $root."
  elif ! [ -w "$root" ]; then
    problem="$root is not writable. Make it writable, or run \`npm run build\` as a user who may write there."
  else
    echo "sluice: building the bundle in $root/dist, because $1" >&2
    if said=$("$node" "$root/tools/build.ts" 2>&1 >/dev/null </dev/null); then
      [ -z "$said" ] || echo "$said" >&2
      return 0
    fi
    # Only the first line; `npm run build` shows the full output or the stack trace.
    first=$(echo "$said" | sed -n -e '/^build: /{p;q;}' -e '/^[A-Za-z]*Error/{p;q;}')
    first=${first#build: }
    problem="${first:-the build failed}"
    problem="${problem%.}. Run \`npm run build\` in $root to see the full output."
  fi
  return 1
}

# If the build fails, the old bundle runs, and each start warns, so that a failed update does not stop the service.
prepare_bundle() {
  is_fresh && return 0
  if [ -f "$root/dist/main.js" ]; then
    build_bundle 'the sources have changed.' && return 0
    echo "sluice: warning: running an old bundle; the changed sources cannot be built: $problem" >&2
  else
    build_bundle 'there is none yet.' && return 0
    echo "sluice: there is no bundle to run in $root/dist: $problem" >&2
    exit 1
  fi
}
