import type { BlockHeader, FactRange, TokenFact } from './source.ts'

/** A fact with its encoded value, as it will be appended. */
type EncodedFact = TokenFact & Readonly<{ value: Buffer }>

/** Whole blocks that one tick closes. */
export type Slice = Readonly<{ head: BlockHeader; facts: readonly EncodedFact[] }>

export type SliceLimits = Readonly<{ factCountMax: number; bytesMax: number }>

/**
 * Cuts a range at block borders so that no slice exceeds the limits, but for a block that does so alone. The last slice
 * ends at the range's head, each other at the last block in it that holds a fact.
 */
export function splitRange(
  range: FactRange,
  encode: (fact: TokenFact) => Buffer,
  { factCountMax, bytesMax }: SliceLimits,
): readonly Slice[] {
  const slices: Slice[] = []
  let facts: EncodedFact[] = []
  let bytes = 0
  for (const block of blocksOf(range.facts, encode)) {
    const isFull = facts.length + block.facts.length > factCountMax || bytes + block.bytes > bytesMax
    if (isFull && facts.length > 0) {
      slices.push({ head: headOf(facts), facts })
      facts = []
      bytes = 0
    }
    facts.push(...block.facts)
    bytes += block.bytes
  }
  return [...slices, { head: range.head, facts }]
}

type EncodedBlock = { number: number; facts: EncodedFact[]; bytes: number }

function blocksOf(facts: readonly TokenFact[], encode: (fact: TokenFact) => Buffer): readonly EncodedBlock[] {
  const blocks: EncodedBlock[] = []
  let block: EncodedBlock | undefined
  for (const tokenFact of facts) {
    const number = tokenFact.fact.data.blockNumber
    if (block?.number !== number) {
      block = { number, facts: [], bytes: 0 }
      blocks.push(block)
    }
    const value = encode(tokenFact)
    block.facts.push({ ...tokenFact, value })
    block.bytes += value.length
  }
  return blocks
}

function headOf(facts: readonly EncodedFact[]): BlockHeader {
  const { blockNumber, blockHash, blockAtMs } = (facts.at(-1) as EncodedFact).fact.data
  return { number: blockNumber, hash: blockHash, atMs: blockAtMs }
}
