#!/usr/bin/env bash
# Installs what the tests need beyond Python: a real Chromium, and Node.js with the audit of GraphQL over
# HTTP. Uses apt where that is there, and otherwise says what to install.
set -euo pipefail

missing=()
command -v chromium >/dev/null 2>&1 || command -v chromium-browser >/dev/null 2>&1 ||
  command -v google-chrome >/dev/null 2>&1 || missing+=(chromium)
python=${PYTHON:-python3}
"$python" -c 'import venv, ensurepip' >/dev/null 2>&1 || missing+=("python3-venv")
command -v node >/dev/null 2>&1 || missing+=(nodejs)
command -v npm >/dev/null 2>&1 || missing+=(npm)

if [ ${#missing[@]} -gt 0 ]; then
  if ! command -v apt-get >/dev/null 2>&1; then
    echo "error: the tests need: ${missing[*]}" >&2
    echo "  macOS:  brew install node && brew install --cask chromium" >&2
    echo "  Fedora: dnf install nodejs npm chromium" >&2
    echo "  or point PREFRONTAL_CHROMIUM to a Chromium or Chrome that is there" >&2
    exit 1
  fi
  sudo=""
  [ "$(id -u)" -eq 0 ] || sudo="sudo"
  $sudo apt-get update -qq
  DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
  echo "Installed: ${missing[*]}"
fi

audit="$(cd "$(dirname "$0")/.." && pwd)/tests/api/audit"
if ! cmp -s "$audit/package-lock.json" "$audit/node_modules/.of-lock"; then
  npm ci --prefix "$audit" --silent --no-audit --no-fund --ignore-scripts
  cp "$audit/package-lock.json" "$audit/node_modules/.of-lock"
  echo "Installed: the audit of GraphQL over HTTP, into tests/api/audit/node_modules"
fi
echo "Everything the tests need beyond Python is there."
