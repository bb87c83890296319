package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"dyno/internal/words"
)

// statusError carries an exit status.
type statusError struct {
	code int
	err  error
}

func (e *statusError) Error() string { return e.err.Error() }
func (e *statusError) Unwrap() error { return e.err }

// usage marks an error as the user's: wrong flags, arguments or files.
func usage(err error) error {
	if err == nil {
		return nil
	}
	return &statusError{exitUsage, err}
}

func usagef(format string, args ...any) error { return usage(fmt.Errorf(format, args...)) }

// arguments says what is wrong with the arguments that validate refuses, and what they should be.
func arguments(validate cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case validate(cmd, args) == nil:
			return nil
		case cmd.HasSubCommands():
			return usage(errors.New(words.Unknown("command", args[0], commandNames(cmd))))
		case len(args) == 1 && len(cmd.ValidArgs) > 0:
			return usagef("%s: %s", cmd.CommandPath(), words.Unknown("argument", args[0], cmd.ValidArgs))
		}
		return usagef("got %s; usage: %s", words.Count(len(args), "argument"), cmd.UseLine())
	}
}

// checkBuiltIn gives the commands that cobra adds, which take any argument and exit 0, arguments like ours.
func checkBuiltIn(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		switch cmd.Name() {
		case "help":
			cmd.Args = func(_ *cobra.Command, args []string) error {
				about, rest, _ := root.Find(args)
				switch {
				case len(rest) == 0:
					return nil
				case !about.HasSubCommands():
					return usageOf(about, about.CommandPath()+" has no commands of its own")
				}
				return arguments(cobra.NoArgs)(about, rest)
			}
		case "completion":
			cmd.Args = arguments(cobra.NoArgs)
			cmd.RunE = func(*cobra.Command, []string) error { return cmd.Help() }
			for _, shell := range cmd.Commands() {
				shell.Args = cmd.Args
			}
		}
	}
}

func commandNames(cmd *cobra.Command) []string {
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return names
}

// flagError says what is wrong with a flag, in other words than the parser's.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown):
		return usageOf(cmd, unknownFlag(cmd, unknown))
	case errors.As(err, &invalid) && errors.Is(err, strconv.ErrRange):
		return usageOf(cmd, fmt.Sprintf("--%s %s is beyond all bounds", invalid.GetFlag().Name, words.Shorten(invalid.GetValue())))
	case errors.As(err, &invalid):
		flag := invalid.GetFlag()
		return usageOf(cmd, fmt.Sprintf("--%s %s is not %s", flag.Name, words.Quote(invalid.GetValue()), meaning(flag.Value.Type())))
	}
	return usageOf(cmd, err.Error())
}

// usageOf adds where to read on, unless the way out is named already.
func usageOf(cmd *cobra.Command, fault string) error {
	if strings.HasSuffix(fault, "?") {
		return usage(errors.New(fault))
	}
	return usagef("%s; see %s --help", fault, cmd.CommandPath())
}

func unknownFlag(cmd *cobra.Command, unknown *pflag.NotExistError) string {
	name := unknown.GetSpecifiedName()
	dashes := "--"
	if unknown.GetSpecifiedShortnames() != "" {
		dashes = "-"
	}
	if ours := flagsOfPeers[name]; loads(cmd) && has(cmd, ours) {
		return fmt.Sprintf("unknown flag %s%s; did you mean %s?", dashes, name, ours)
	}
	if dashes == "-" {
		return "unknown flag -" + name
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if near := words.Nearest(name, names); near != "" {
		return fmt.Sprintf("unknown flag --%s; did you mean --%s?", words.Shorten(name), near)
	}
	return "unknown flag --" + words.Shorten(name)
}

// meaning says what a flag of a type takes.
func meaning(flagType string) string {
	switch flagType {
	case "int", "int64":
		return "a whole number"
	case "uint64":
		return "a whole number from 0 on"
	case "duration":
		return "a time with its unit, such as 90s or 5m"
	case "float64":
		return "a number"
	case "stringToString":
		return "of the form name=value"
	}
	return "a " + flagType
}
