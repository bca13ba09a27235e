// Package structured reads the structured data of pages: JSON-LD, microdata, RDFa and data tables.
//
// All of it is bounded in depth, count and bytes, for each kind by itself; what is beyond is left out, without an error.
package structured
