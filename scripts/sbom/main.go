// The sbom program checks a CycloneDX document against its binary: both must name the same modules at the same versions,
// and the same Go, and no others.
//
// usage: go run ./scripts/sbom <document> <binary>
package main

import (
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"runtime/debug"
	"slices"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: sbom <document> <binary>")
		os.Exit(2)
	}
	count, err := check(os.Args[1], os.Args[2])
	if err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
	fmt.Printf("%s lists all %d modules of %s, and its Go version\n", os.Args[1], count, os.Args[2])
}

func check(document, binary string) (modules int, err error) {
	text, err := os.ReadFile(document)
	if err != nil {
		return 0, err
	}
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return 0, fmt.Errorf("reading the build information of %s: %w", binary, err)
	}
	if err := compare(text, info); err != nil {
		return 0, fmt.Errorf("%s and %s differ:\n%w", document, binary, err)
	}
	return len(info.Deps), nil
}

// std is the name of the standard library in such documents.
const std = "std"

// compare returns an error for each module that only one of the two has.
func compare(document []byte, info *debug.BuildInfo) error {
	var bom struct {
		Components []struct {
			Name    string `json:"name"`
			Version string `json:"version"`
		} `json:"components"`
	}
	if err := json.Unmarshal(document, &bom); err != nil {
		return fmt.Errorf("reading the document: %w", err)
	}
	listed := map[string]bool{}
	for _, c := range bom.Components {
		listed[c.Name+" "+c.Version] = true
	}
	built := map[string]bool{std + " " + info.GoVersion: true}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		built[m.Path+" "+m.Version] = true
	}
	var errs []error
	for _, module := range slices.Sorted(maps.Keys(built)) {
		if !listed[module] {
			errs = append(errs, errors.New("only in the binary: "+module))
		}
	}
	for _, module := range slices.Sorted(maps.Keys(listed)) {
		if !built[module] {
			errs = append(errs, errors.New("only in the document: "+module))
		}
	}
	return errors.Join(errs...)
}
