// The count program prints how many rows of the service contract are proven by a test.
package main

import (
	"fmt"
	"os"

	"github.com/turnpike-edge/turnpike/test/contract"
)

func main() {
	rows, err := contract.Load()
	if err != nil {
		fmt.Fprintln(os.Stderr, "contract:", err)
		os.Exit(1)
	}
	fmt.Printf("contract: %d of %d rows proven\n", contract.Count(rows), len(rows))
}
