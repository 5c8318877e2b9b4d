import type { Block, Stage, StageTypes } from '../schemas/stage.ts'
import type { KeyedFact } from './source.ts'

/** A fact with its encoded bytes. */
type EncodedFact<Fact extends StageTypes['fact']> = KeyedFact<Fact> & Readonly<{ value: Buffer }>

/** A part of a range that is closed by its own tick. It consists of whole blocks. */
export type Slice = Readonly<{ head: Block; facts: readonly EncodedFact<StageTypes['fact']>[] }>

export type SliceLimits = Readonly<{ factCountMax: number; bytesMax: number }>

type SplitOptions<Types extends StageTypes> = Readonly<{
  stage: Pick<Stage<Types>, 'blockNumberOf' | 'blockOf'>
  encode: (fact: Types['fact']) => Buffer
  limits: SliceLimits
}>

/**
 * Splits a range between blocks, so that no slice exceeds the limits. An exception is a slice with a single
 * large block. The last slice ends at the head of the range. Every other slice ends at its last block with a
 * fact.
 */
export function splitRange<Types extends StageTypes>(
  range: Readonly<{ head: Block; facts: readonly KeyedFact<Types['fact']>[] }>,
  { stage, encode, limits: { factCountMax, bytesMax } }: SplitOptions<Types>,
): readonly Slice[] {
  const slices: Slice[] = []
  let facts: EncodedFact<Types['fact']>[] = []
  let bytes = 0
  for (const block of encodedBlocks(range.facts, stage, encode)) {
    const isFull = facts.length + block.facts.length > factCountMax || bytes + block.bytes > bytesMax
    const last = facts.at(-1)
    if (isFull && last) {
      slices.push({ head: stage.blockOf(last.fact), facts })
      facts = []
      bytes = 0
    }
    facts.push(...block.facts)
    bytes += block.bytes
  }
  return [...slices, { head: range.head, facts }]
}

type EncodedBlock<Fact extends StageTypes['fact']> = { number: number; facts: EncodedFact<Fact>[]; bytes: number }

function encodedBlocks<Types extends StageTypes>(
  facts: readonly KeyedFact<Types['fact']>[],
  stage: SplitOptions<Types>['stage'],
  encode: SplitOptions<Types>['encode'],
): readonly EncodedBlock<Types['fact']>[] {
  const blocks: EncodedBlock<Types['fact']>[] = []
  let block: EncodedBlock<Types['fact']> | undefined
  for (const keyed of facts) {
    const number = stage.blockNumberOf(keyed.fact)
    if (block?.number !== number) {
      block = { number, facts: [], bytes: 0 }
      blocks.push(block)
    }
    const value = encode(keyed.fact)
    block.facts.push({ value, ...keyed })
    block.bytes += value.length
  }
  return blocks
}
