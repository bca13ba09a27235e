// Package admission shares a bounded pool of something (places for work, bytes of memory) fairly between those who ask
// for it: teams, and clients without a key.
//
// The one rule: nobody may have more than is left. A holder alone may so have half of the pool, and there is always as
// much left for others as the largest holder has (dynamic thresholds: Choudhury and Hahne, "Dynamic queue length
// thresholds for shared-memory packet switches", 1998). The rule needs no number of holders and no setting, and takes
// nothing away from who has it: what is held may be held for minutes.
//
//   - A holder may have no more than is left. Its first share it gets whatever is left, if there is room.
//   - All holders without a key together may have no more than is left, and each of them no more than is left of that. New
//     addresses and wallets are free to make, so no bound for each of them would hold.
//   - Where nobody has anything, whoever asks is let in, so that a pool of one is of use.
//
// Who may not have more waits behind its own requests and nobody else's. What is given back goes to who has least, and
// among equals to who was served longest ago.
//
// Invariants:
//
//   - No more than the size is held.
//   - Nobody waits who may be let in.
//   - After it was let in, no holder has more than is left, but for one request of each.
//
// The state is this process's own. It imports the standard library and Prometheus' client.
package admission
