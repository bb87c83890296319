package rpc

import (
	"encoding/json"
	"math"
	"net/http"
	"slices"
	"strings"

	"dyno/contract/internal/httpgate"
	"dyno/load/null"
)

// Null returns the answer of a null server that keeps the contract: the ceiling of every subject.
func (Contract) Null() null.Answer { return httpgate.Null(nullReply) }

func nullReply(r *http.Request, text []byte) httpgate.NullReply {
	if r.Method != http.MethodPost || r.URL.Path != path {
		return httpgate.NullReply{Status: http.StatusNotFound}
	}
	var body any
	if !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") || json.Unmarshal(text, &body) != nil || !isCall(body) {
		return httpgate.NullReply{Status: http.StatusBadRequest}
	}
	return httpgate.NullMirror(text)
}

// isCall checks a body as the contract asks.
func isCall(body any) bool {
	call, ok := body.(map[string]any)
	if !ok {
		return false
	}
	id, isNumber := call["id"].(float64)
	_, isName := call["name"].(string)
	_, isActive := call["active"].(bool)
	tags, isTags := call["tags"].([]any)
	return isNumber && id == math.Trunc(id) && isName && isActive && isTags &&
		!slices.ContainsFunc(tags, isNoText) && isAddress(call["address"])
}

func isNoText(v any) bool {
	_, ok := v.(string)
	return !ok
}

func isAddress(v any) bool {
	address, ok := v.(map[string]any)
	return ok && !isNoText(address["city"]) && !isNoText(address["zip"])
}
