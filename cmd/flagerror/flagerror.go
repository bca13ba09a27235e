// Package flagerror reports invalid flag values with the values that the flag takes, not with the flag library's message.
package flagerror

import (
	"fmt"
	"regexp"

	"github.com/spf13/cobra"
)

// badFlag matches the flag library's error for a value that cannot be parsed.
var badFlag = regexp.MustCompile(`^invalid argument "(.*)" for "(?:-\w, )?--([a-z-]+)" flag: strconv\.`)

// Explain says which values a flag takes, if a value is not a number or is out of range. It is for SetFlagErrorFunc.
func Explain(cmd *cobra.Command, err error) error {
	match := badFlag.FindStringSubmatch(err.Error())
	if match == nil {
		return err
	}
	flag := cmd.Flags().Lookup(match[2])
	if flag == nil {
		return err
	}
	want := "a whole number"
	switch flag.Value.Type() {
	case "uint16":
		want = "a whole number from 0 to 65535"
	case "bool":
		want = "true or false"
	}
	return fmt.Errorf("--%s %q: want %s", match[2], match[1], want)
}
