// Package dyno holds the nouns of the dynamometer as plain data: what is measured (Subject),
// what a subject must do (Contract), how hard it is driven (Load), what one fresh process did
// (Trial), what to measure (Suite), what follows from the trials (Verdict), and what a person
// reads (Report).
//
// The package does no I/O, starts no process and reads no clock. Every other package speaks in
// these types; docs/ARCHITECTURE.md shows who may import whom.
package dyno
