package maincontent

// PoorBelow is the quality below which a page is better tried again in a browser: so little of it can be told apart that
// its content is likely to be missing. About one page in ten of the benchmark is below (bench/README.md).
const PoorBelow = 0.6
