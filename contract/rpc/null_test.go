package rpc

import (
	"testing"

	"dyno/contract/internal/fixture"
)

func TestNullServerUnderLoad(t *testing.T) {
	t.Parallel()
	fixture.CheckNull(t, Contract{})
}
