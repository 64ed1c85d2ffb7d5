#!/bin/sh
# Installs the Debian packages named, where they are missing. On other systems it only says what has to be installed.
# usage: install_packages.sh PACKAGE...
set -eu
if ! command -v apt-get > /dev/null; then
    echo "no apt-get here; these have to be there under whatever name: $*"
    exit 0
fi
missing=
for package in "$@"; do
    dpkg-query -W -f '${Status}' "$package" 2> /dev/null | grep -q 'ok installed' || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

as_root=
[ "$(id -u)" -eq 0 ] || as_root=sudo
echo "installing$missing"
install() {
    # shellcheck disable=SC2086  # the packages are words
    $as_root env DEBIAN_FRONTEND=noninteractive DPKG_FORCE="${DPKG_FORCE:-}" \
        apt-get install -y -q -o DPkg::Lock::Timeout=600 --no-install-recommends $missing < /dev/null
}
# Another installation is waited for. The lists of packages are fetched where those that are there do not do: there are
# none, or they are old.
install 2> /dev/null || { $as_root apt-get update -qq < /dev/null && install; }
