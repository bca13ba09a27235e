package decode

import "github.com/danielgtaylor/huma/v2/validation"

// The messages must be set before the first schema is made: Huma reads them then, in any goroutine.
//
//nolint:gochecknoinits // there is no later place that is before the first schema
func init() {
	// Write bounds out: Huma prints those above a million as 3.1536e+08.
	validation.MsgExpectedMinimumNumber = "expected number >= %.15g"
	validation.MsgExpectedMaximumNumber = "expected number <= %.15g"
	validation.MsgExpectedRFC3339DateTime = "must be a time with its UTC offset, such as 2026-12-24T09:00:00Z"
}
