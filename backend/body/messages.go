package body

import "github.com/danielgtaylor/huma/v2/validation"

// Huma reads its messages whenever a schema is made, which features do in any goroutine, so they are set before all else.
//
//nolint:gochecknoinits // there is no later place that is before the first schema
func init() {
	// Bounds are written out: Huma's own words have those above a million as 3.1536e+08.
	validation.MsgExpectedMinimumNumber = "expected number >= %.15g"
	validation.MsgExpectedMaximumNumber = "expected number <= %.15g"
	validation.MsgExpectedRFC3339DateTime = "must be a time with its offset from UTC, such as 2026-12-24T09:00:00Z"
}
