package lab

import (
	"slices"
	"strconv"

	"dyno"
	"dyno/contract"
	"dyno/internal/words"
)

// workloads returns what a matrix asks for, by name or by size.
func (m matrix) workloads() []dyno.Workload {
	var all []dyno.Workload
	for _, name := range m.Workloads {
		all = append(all, dyno.Workload{Name: name})
	}
	for _, size := range m.PayloadBytes {
		all = append(all, dyno.Workload{PayloadBytes: size})
	}
	return all
}

// workloadNames lists the workloads that a contract names; none where it takes payloads of any size.
func workloadNames(contractName string) []string {
	c, err := contract.ByName(contractName)
	if err != nil {
		return nil // refused elsewhere
	}
	var names []string
	for _, w := range c.Workloads() {
		names = append(names, w.Name)
	}
	return names
}

// checkWorkloads refuses workloads that a contract does not have.
func (f *suiteText) checkWorkloads(m matrix, contractName string, at func(...string) []string) error {
	names := workloadNames(contractName)
	switch {
	case len(names) == 0 && len(m.Workloads) > 0:
		return f.fail(at("workloads"), "the contract %s names no workloads; list sizes under payload_bytes", contractName)
	case len(names) > 0 && len(m.PayloadBytes) > 0:
		return f.fail(at("payload_bytes"), "the contract %s has workloads of its own; list them under workloads", contractName)
	}
	for i, name := range m.Workloads {
		item := strconv.Itoa(i)
		if !slices.Contains(names, name) {
			return f.fail(at("workloads", item), "%s", words.Unknown("workload", name, names))
		}
		if slices.Index(m.Workloads, name) < i {
			return f.fail(at("workloads", item), "the workload %q is listed twice; remove one", name)
		}
	}
	for i, size := range m.PayloadBytes {
		item := strconv.Itoa(i)
		if size < 1 || size > maxPayloadBytes {
			return f.fail(at("payload_bytes", item), "a payload of %d bytes; it must lie between 1 and %d", size, maxPayloadBytes)
		}
		if slices.Index(m.PayloadBytes, size) < i {
			return f.fail(at("payload_bytes", item), "%d bytes are listed twice; remove one", size)
		}
	}
	return nil
}

// checkMatrix refuses a suite that would measure nothing.
func (f *suiteText) checkMatrix(m matrix) error {
	if len(m.workloads()) > 0 && len(m.Loads) > 0 || len(m.workloads())+len(m.Loads) == 0 && len(m.Scenarios) > 0 {
		return nil
	}
	key := "payload_bytes"
	if len(workloadNames(f.Contract)) > 0 {
		key = "workloads"
	}
	return f.fail(nil, "a suite of the contract %s needs %s and loads, or scenarios alone", f.Contract, key)
}
