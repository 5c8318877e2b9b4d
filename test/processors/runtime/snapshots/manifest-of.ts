/** The manifest of a snapshot at the tick of this number. */
export const manifestOf = (seq: number) => ({
  seq,
  blockNumber: seq * 2,
  factsOffset: seq * 10,
  derivedOffset: seq * 5,
  rulesVersion: 'a1',
  stateVersion: 'x@1',
})
