# The recipes of this house. With `just` installed: `just run`. Without: `npx -y rust-just run`.
# A recipe is a few lines; what is longer is Go.

set shell := ["bash", "-euo", "pipefail", "-c"]
set positional-arguments

staticcheck := "honnef.co/go/tools/cmd/staticcheck@v0.8.2"
peers := "opencode-ai@1.18.33 @agentclientprotocol/claude-agent-acp@0.101.0 @agentclientprotocol/codex-acp@2.6.0 @google/gemini-cli@0.61.0 @qwen-code/qwen-code@0.24.4 @github/copilot@1.0.102 @agentclientprotocol/sdk@2.4.0 @modelcontextprotocol/inspector@2.12.0 @modelcontextprotocol/server-everything@2026.8.31 @modelcontextprotocol/server-filesystem@2026.8.31"
long := "./cmd/vibey/e2e ./tools/sandbox ./server/turn ./tools ./server"
gremlins := "github.com/go-gremlins/gremlins/cmd/gremlins@v0.6.0"

# what there is to run
default:
    @"{{just_executable()}}" --list --unsorted

# serve ./vibey on http://127.0.0.1:3001 (arguments go to `vibey serve`)
run *args: client build
    @exec bin/vibey serve "$@"

# the window's build and tests, vet, Go tests but for long ones (`-short`; they belong to `just check`); browser tests where there is a Chromium
test: (tests "-short")

# the same, long tests and long tables too
[private]
tests *flags: window
    @"{{just_executable()}}" gotests "$@"

# vet and the Go tests, those first that take long, and two packages more at once than there are processors, since most wait; a last line tells what was left out, and why; up to five that failed run once more, alone, and are told
[private]
gotests *flags: client
    go vet ./...
    { go test -json -vet=off -timeout 40m -p "$(($(getconf _NPROCESSORS_ONLN) + 2))" "$@" {{long}} ./... || echo '{"Action":"exit"}'; } | go run ./cmd/tally -again "test -json -vet=off -timeout 40m $*" -left "$(command -v chromium >/dev/null || echo 'the browser tests need chromium (apt install chromium)')"

# once more the tests of what depends on the disk most, where CI has run the others in memory
[private]
disk:
    { go test -json -count=1 -vet=off -short ./server/project ./tools/layer ./tools/disk/... || echo '{"Action":"exit"}'; } | go run ./cmd/tally -again "test -json -vet=off -short"

# the window's own tests, in a real browser where there is one
[private]
window: client
    cd client && npm run --silent check && npm run --silent unit
    @if command -v chromium >/dev/null; then "{{just_executable()}}" e2e; \
    elif [ -n "${CI:-}" ]; then echo "FAILED: no chromium here, so the browser tests could not run" >&2; exit 1; fi
    @if command -v firefox-esr >/dev/null && command -v WebKitWebDriver >/dev/null && command -v Xvfb >/dev/null; then "{{just_executable()}}" engines; \
    elif [ -n "${CI:-}" ]; then echo "FAILED: Firefox, WebKitGTK or Xvfb is missing, so the main flow could not run there" >&2; exit 1; \
    else echo "left out here: the main flow in Firefox and WebKitGTK (apt install firefox-esr webkit2gtk-driver xvfb)"; fi

# all that CI runs
check: lint tests heard size deed elsewhere oracle (kills "500") (crash "-states" "11000")

# the tests that drive a real browser
e2e: client build
    cd client && npm run --silent browser
    cd client && npm run --silent e2e

# the main flow in Firefox and in WebKitGTK
engines: client build
    cd client && npm run --silent engines

# the main flow, heard by the screen reader Orca in Firefox and in Chromium (with VIBEY_SHOTS, what was heard goes there)
heard: client build
    @if command -v orca >/dev/null && command -v openbox >/dev/null && command -v dbus-daemon >/dev/null && command -v Xvfb >/dev/null && command -v chromium >/dev/null && command -v firefox-esr >/dev/null && [ -x /usr/libexec/at-spi-bus-launcher ]; then cd client && npm run --silent heard; \
    elif [ -n "${CI:-}" ]; then echo "FAILED: Orca, or what it needs, is missing, so the main flow could not be heard" >&2; exit 1; \
    else echo "left out here: the main flow as Orca says it (apt install orca openbox at-spi2-core dbus-daemon xvfb chromium firefox-esr)"; fi

# a small story with two agents, made through the page: a picture of each step, light, dark and on a phone (VIBEY_SHOTS names their folder)
story: client build
    cd client && npm run --silent story

# the four pictures of the README, from the same story
pictures: client build
    cd client && npm run --silent pictures

# of the tests, every attack at every level, by root (if that is who you are) and by another user
attacks:
    go test -count=1 -v -run '^TestAttacks$' ./tools/sandbox

# this repository as a project's deed: built and tested by commands behind the walls, and changed by an agent
deed: client
    go test -count=1 -timeout 60m -v -run '^TestRepositoryAsDeed$' ./tools/sandbox -repository "$PWD"
    go test -count=1 -timeout 60m -v -run '^TestBuiltWithItself$' ./cmd/vibey/e2e -repository "$PWD"

# the command line and the walls, from a copy of this folder below /tmp, or in the home if this one is there
elsewhere: client
    @other=$(mktemp -d -p "$([[ $PWD/ == /tmp/* ]] && echo "$HOME" || echo /tmp)" vibey-XXXXXX); trap 'rm -rf "$other"' EXIT; \
    git ls-files -z --cached --others --exclude-standard | xargs -0 cp -a --parents -t "$other"; cp -aL client/dist "$other/client/"; \
    cd "$other"; echo "in $other:"; \
    go test -json -run '^(TestScript|TestReadme.*|TestNothingIsSwallowed|TestProjectsIn.*)$' ./cmd/vibey ./tools/sandbox | go run ./cmd/tally

# real programs talk with ours: agents, an editor's library, MCP servers and a client, installed by npm in a folder that is given or in one in the home (the walls of servers show nothing below /tmp)
peers folder="":
    @at="$1"; if [ -z "$at" ]; then at=$(mktemp -d "$HOME/vibey-XXXXXX"); trap 'rm -rf "$at"' EXIT; fi; \
    mkdir -p "$at"; at=$(cd "$at" && pwd -P); npm install --global --prefix "$at" --no-audit --no-fund {{peers}}; \
    go test -count=1 -timeout 20m -v -run '^TestPeers' ./cmd/vibey/e2e -peers "$at"

# the official SDKs read our fixtures and our requests; a module of its own, so that the program has none of them
oracle:
    go -C provider/oracle vet ./...
    go -C provider/oracle test -json ./... | go run ./cmd/tally

# gofmt, vet, staticcheck
lint:
    test -z "$(gofmt -l $(go list -f '{{{{.Dir}}' ./...) | sort -u | tee /dev/stderr)"
    go vet ./...
    go run {{staticcheck}} ./...

# rewrite the expected files of tests that have some; then read the diff
golden:
    go test $(grep -rlE --exclude-dir=node_modules 'flag\.Bool\("update"' --include='*_test.go' . | xargs -n1 dirname | sort -u) -update

# every fuzz target, one after another
fuzz time="30s":
    @grep -roE --exclude-dir=node_modules --include='*_test.go' '^func Fuzz[A-Za-z0-9_]+' . | sed 's/:func / /' | while read -r file name; do \
        echo "$name, {{time}}, $(dirname "$file")"; \
        go test -run '^$' -fuzz "^$name\$" -fuzztime {{time}} "$(dirname "$file")" </dev/null; done

# change the code in a thousand ways, one after another, and list what no test notices (hours; dialog/testdata/mutants.md explains some)
mutate *packages="./dialog ./dialog/grant ./dialog/history ./dialog/change ./server/turn":
    @for package in {{packages}}; do nice -n 10 go run {{gremlins}} unleash --workers 1 --timeout-coefficient 5 -S l "$package"; done

# time and memory of the parts that are hot
bench pattern=".":
    go test -run '^$' -bench '{{pattern}}' -benchmem ./...

# the window's figures in Chromium, against the real program: the median of five
window-bench: client build
    cd client && npm run --silent bench

# servers, each killed while it builds walls: nothing of them is left (CI kills 500; of a bare bubblewrap 3 of 300 leave something)
kills count="2000":
    VIBEY_KILLS={{count}} go test ./tools/sandbox -run '^TestKilledBuilders$' -count=1 -v -timeout 30m | grep -v '^=== '

# start on every disk that a crash may leave, pages out of order too, let calls fail (-states 11000: no more than so many), and kill the program 30 times for each maker of layers
crash *args: build
    @go test ./cmd/vibey/e2e/crash -run '^Test(Crash|Killed)$' -count=1 -v -timeout 0 -vibey "$PWD/bin/vibey" "$@" | grep -vE '^(=== | *--- PASS)'

# so many random commands with each maker of layers, held against the same in a plain copy (the tests try 300)
random count="10000":
    @go test ./tools/layer -run '^TestRandom' -count=1 -timeout 0 -args -random {{count}}

# the program, killed while commands run in layers, wait for a human, and are put into the deed, with each maker of layers
killed count="300": build
    @go test ./cmd/vibey/e2e/crash -run '^TestKilled$' -count=1 -v -timeout 0 -vibey "$PWD/bin/vibey" -kills {{count}} | grep -vE '^(=== | *--- PASS|        )'

# the window, built only where the lock file or a source is newer than the last build
client:
    @cd client && { cmp -s package-lock.json node_modules/.lock || { npm ci --no-audit --no-fund && cp package-lock.json node_modules/.lock; }; }
    @cd client && if [ ! -e dist/index.html ] || [ -n "$(find . \( -name node_modules -o -name dist -o -name test \) -prune -o -newer dist/index.html -print)" ]; then npm run --silent build; fi

# the program, for this machine
build:
    CGO_ENABLED=0 go build -o bin/vibey ./cmd/vibey

# the program as it is given away: one file with the window in it, stripped, without the HTTP/2 that nothing here speaks
release: client
    CGO_ENABLED=0 go build -trimpath -tags nethttpomithttp2 -ldflags '-s -w' -o bin/vibey ./cmd/vibey
    @ls -l bin/vibey

# the program as it is given away has at most 20 MB
size: release
    @bytes=$(wc -c <bin/vibey); echo "the program: $bytes bytes"; [ "$bytes" -le 20000000 ] || { echo "FAILED: 20000000 are promised; \`go build -ldflags=-dumpdep\` tells by ReflectMethod what keeps every method" >&2; exit 1; }
