// Package money holds the units that Turnpike counts in, as distinct integer
// types: [Credits], [MicroUSDC] and [Cents]. The one idea is that units never
// mix and nothing is ever rounded: there are no floats, every operation that
// can overflow returns [ErrOverflow], and decimal text is parsed digit by digit.
//
// It imports the standard library only.
package money
