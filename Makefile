# Two commands matter: `make run` measures, `make test` tests. Both install what is missing.

RUN   ?= quick# what `make run` runs, e.g. make run RUN="minecraft --only bun,deno"
BENCH ?=#     flags of `make bench`, `bench-load` and `bench-codec`, e.g. make bench BENCH="-items spin"

# Warnings are about engines that this npm is older than; what runs the packages is pinned.
npm_ci := npm ci --ignore-scripts --no-audit --no-fund --loglevel=error

installed := subjects/node_modules/.package-lock.json

.PHONY: run test check build install reinstall bench bench-load bench-scenario bench-capacity bench-codec codec-peers screenshots fuzz clean

run: install build
	./bin/dyno run $(RUN)

test: install build codec-peers
	go test ./...
	@cd bench/codec && if go mod download; then go test ./...; \
	  else echo "bench/codec: go-mc cannot be downloaded here; its tests are skipped"; fi

# Everything that can be checked without running dyno: format, vet, lint, arrows, types.
check: install
	@unformatted=$$(gofmt -l $$(git ls-files --cached --others --exclude-standard '*.go')); \
	  test -z "$$unformatted" || { echo "not gofmt-ed: $$unformatted; run gofmt -w on them"; exit 1; }
	go vet ./...
	go tool staticcheck ./...
	go test -run 'Arrows' .
	npm --prefix subjects run --silent check

build:
	go build -o bin/dyno ./cmd/dyno

# The runtimes and the TypeScript tools, exactly as pinned.
install: $(installed)
$(installed): subjects/package.json subjects/package-lock.json
	$(npm_ci) --prefix subjects
	@touch $@

# For when somebody tampered with subjects/node_modules.
reinstall:
	rm -rf subjects/node_modules
	$(MAKE) install

bench: install build
	go run ./bench $(BENCH)

# The load engine beside other load generators. What cannot be installed is said, and left out.
bench-load: install build
	@command -v cc >/dev/null && cc -O2 -Wall -o bin/bench-floor bench/load/floor.c || echo "bench-load: there is no C compiler; the bare epoll loop is left out"
	@command -v wrk >/dev/null && command -v h2load >/dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get install -y -q wrk nghttp2-client >/dev/null; } || \
	  echo "bench-load: wrk and h2load are not installed; run apt-get install wrk nghttp2-client as root"
	@$(npm_ci) --prefix bench/load || echo "bench-load: autocannon cannot be installed here; it is left out"
	go run ./bench -items load-cost,load-pollers,load-pacing,load-many,load-held $(BENCH)

# dyno scenario beside Artillery, which needs Node 22.18 or newer: that of subjects/, or yours.
bench-scenario: install build
	$(npm_ci) --prefix bench/scenario
	go run ./bench -items scenario-same,scenario-cost $(BENCH)

# dyno capacity on a server whose capacity is known by arithmetic: eight minutes.
bench-capacity: build
	go run ./bench -items capacity $(BENCH)

bench-codec: install codec-peers
	cd bench/codec && go run . $(BENCH)

# The codecs that mpacket is compared with, exactly as pinned. Tests that miss one are skipped.
npm_peers := bench/codec/node_modules/.package-lock.json
pypi_peers := bench/codec/.venv/installed
codec-peers:
	@$(MAKE) -s $(npm_peers) || echo "bench/codec: its npm packages cannot be installed here; what needs them is skipped"
	@$(MAKE) -s $(pypi_peers) || echo "bench/codec: its PyPI packages cannot be installed here; what needs them is skipped"
$(npm_peers): bench/codec/package.json bench/codec/package-lock.json
	$(npm_ci) --prefix bench/codec
	@touch $@
$(pypi_peers): bench/codec/requirements.txt
	python3 -m venv bench/codec/.venv
	bench/codec/.venv/bin/pip install --quiet --disable-pip-version-check --no-deps -r bench/codec/requirements.txt
	@touch $@

# Pictures of the latest run's page in both themes and at two widths: bin/screenshots.
screenshots:
	@report/html/screenshots.sh bin/screenshots $$(ls -t results/*/report.html 2>/dev/null | head -1)

FUZZTIME ?= 10s
fuzz:
	@for p in $$(go list ./...); do \
	  for f in $$(go test -list '^Fuzz' $$p | grep '^Fuzz'); do \
	    echo "$$p $$f"; go test -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) $$p || exit 1; \
	  done; \
	done

clean:
	rm -rf bin subjects/node_modules bench/load/node_modules bench/scenario/node_modules bench/codec/node_modules bench/codec/.venv
