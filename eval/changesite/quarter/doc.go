// Package quarter is a site of ten makers with what people of a quarter keep an eye on: a laptop, fees, works on a railway line,
// opening hours, prices, a call for papers, conditions of hire, advice on a vaccine, courses and a changelog.
//
// Edits are in the main content. Noise is both around it and in it, and never says anything about the thing itself.
package quarter
