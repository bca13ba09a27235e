// Package admission shares a bounded pool (of places for work, or bytes of memory) fairly among the holders that ask
// for it: teams, and clients without a key.
//
// There is one rule: after a grant, a holder has at most as much as is still free. One holder alone can therefore have
// half of the pool, and as much stays free for others as the largest holder has (dynamic thresholds: Choudhury and
// Hahne, "Dynamic queue length thresholds for shared-memory packet switches", 1998). The rule needs no setting and no
// count of holders. It never takes a grant back, because work can hold one for minutes.
//
//   - The first grant of a holder needs no more than room in the pool.
//   - All holders without a key together have at most as much as is still free, and each of them at most the rest of
//     that. New addresses and wallets cost nothing, so a limit on each alone would not work.
//   - When nothing is held, the next request is admitted. Otherwise a pool of size 1 would be useless.
//
// A request that is not admitted waits behind requests of the same holder only. What is released goes to the holder
// that has least, and among equals to the one that was served longest ago.
//
// Invariants:
//
//   - At most the size of the pool is held.
//   - No request waits that could be admitted.
//   - After a grant, a holder has at most what is free, except for one request of each holder.
//
// The state lives in this process only. The package imports the standard library and Prometheus' client.
package admission
