# The bundle of a checkout: is it as new as the sources, and if not, can it be built? The launcher reads this file
# with `.` and calls prepare_bundle; tools/build/stamp.ts calls sources_checksum. Needs $root, and $node to build.
# It runs before every command, so the usual case costs one `find`: nothing has changed since the bundle was built.
# A changed time alone proves nothing (a copied or checked-out file), so then the contents decide.

# What the bundle is made of. Folders count too: the time of a folder changes when a file in it is deleted.
inputs='src tools/build tools/build.ts tools/run.ts package.json package-lock.json'

# One line for the contents and names of all inputs; tests are not part of the bundle.
sources_checksum() {
  (cd -- "$root" && find $inputs -type f ! -name '*.test.ts' -exec cksum {} + | LC_ALL=C sort | cksum)
}

# -cnewer looks at the time that no program can set back. A `find` without it leaves the answer to the contents.
has_newer_sources() {
  newer=$(cd -- "$root" && find $inputs ! -name '*.test.ts' -cnewer dist/built-from 2>/dev/null) || return 0
  [ -n "$newer" ]
}

is_fresh() {
  stamp=$root/dist/built-from
  [ -f "$root/dist/main.js" ] && [ -f "$stamp" ] || return 1
  has_newer_sources || return 0
  # Made before the contents are read: what is changed from now on is newer than the stamp.
  touch -- "$stamp.$$" 2>/dev/null || :
  if [ "$(sources_checksum)" = "$(cat -- "$stamp")" ]; then
    touch -r "$stamp.$$" -- "$stamp" 2>/dev/null || :
    rm -f -- "$stamp.$$"
    return 0
  fi
  rm -f -- "$stamp.$$"
  return 1
}

# Says in $problem why there is no new bundle.
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
    # The rest, or the stack of a bug in the build, is for those who want to mend it.
    first=$(echo "$said" | sed -n -e '/^build: /{p;q;}' -e '/^[A-Za-z]*Error/{p;q;}')
    first=${first#build: }
    problem="${first:-the build failed}"
    problem="${problem%.}. Run \`npm run build\` in $root to see all of it."
  fi
  return 1
}

# A service that was updated badly still serves: an old bundle runs, and each start says so.
prepare_bundle() {
  is_fresh && return 0
  if [ -f "$root/dist/main.js" ]; then
    build_bundle 'the sources have changed.' && return 0
    echo "sluice: warning: running an old bundle; it cannot be built from the changed sources: $problem" >&2
  else
    build_bundle 'there is none yet.' && return 0
    echo "sluice: there is no bundle to run in $root/dist: $problem" >&2
    exit 1
  fi
}
