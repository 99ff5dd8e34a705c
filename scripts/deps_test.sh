#!/usr/bin/env bash
# Installs what the tests need beyond Python: a real Chromium. Uses apt where that is there, and
# otherwise says what to install.
set -euo pipefail

missing=()
command -v chromium >/dev/null 2>&1 || command -v chromium-browser >/dev/null 2>&1 ||
  command -v google-chrome >/dev/null 2>&1 || missing+=(chromium)
python=${PYTHON:-python3}
"$python" -c 'import venv, ensurepip' >/dev/null 2>&1 || missing+=("python3-venv")

if [ ${#missing[@]} -eq 0 ]; then
  echo "Everything the tests need beyond Python is there."
  exit 0
fi
if command -v apt-get >/dev/null 2>&1; then
  sudo=""
  [ "$(id -u)" -eq 0 ] || sudo="sudo"
  $sudo apt-get update -qq
  DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
  echo "Installed: ${missing[*]}"
  exit 0
fi
echo "error: the tests need: ${missing[*]}" >&2
echo "  macOS:  brew install --cask chromium" >&2
echo "  Fedora: dnf install chromium" >&2
echo "  or point PREFRONTAL_CHROMIUM to a Chromium or Chrome that is there" >&2
exit 1
