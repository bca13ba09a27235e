// Package money defines Turnpike's units of money as distinct integer types: [Credits], [MicroUSDC] and [Cents]. Units
// never mix and nothing is ever rounded: there are no floats, every operation that can overflow returns [ErrOverflow],
// and decimal text is parsed digit by digit.
package money
