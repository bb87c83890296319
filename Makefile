# Two commands matter: `make run` measures, `make test` tests. Both install what is missing.

RUN   ?= quick# what `make run` runs, e.g. make run RUN="minecraft --only bun,deno"
BENCH ?=#     flags of `make bench`, e.g. make bench BENCH="-items spin"

installed := subjects/node_modules/.package-lock.json

.PHONY: run test check build install reinstall bench fuzz clean

run: install build
	./bin/dyno run $(RUN)

test: install build
	go test ./...

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
	npm ci --prefix subjects --ignore-scripts --no-audit --no-fund
	@touch $@

# For when somebody tampered with subjects/node_modules.
reinstall:
	rm -rf subjects/node_modules
	$(MAKE) install

bench: install build
	go run ./bench $(BENCH)

FUZZTIME ?= 10s
fuzz:
	@for p in $$(go list ./...); do \
	  for f in $$(go test -list '^Fuzz' $$p | grep '^Fuzz'); do \
	    echo "$$p $$f"; go test -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) $$p || exit 1; \
	  done; \
	done

clean:
	rm -rf bin subjects/node_modules
