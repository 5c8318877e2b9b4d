import { expect } from 'chai'
import { kindOf } from '../../../ingest/mentions/kind.ts'
import type { MentionKind } from '../../../schemas/calls/facts.ts'
import { sampleCard } from './chat-samples.ts'

describe('the kind of a post', () => {
  const samples: Readonly<Record<string, MentionKind>> = {
    'soul-early-2026-09-08-a': 'call',
    'soul-whale-meow': 'call',
    'soul-whale-again': 'recall',
    'soul-update': 'brag',
    'soul-stats-2026-09-08': 'brag',
    'phanes-2026-a': 'call',
    'rick-evm-2025-12-a': 'call',
  }
  for (const [id, kind] of Object.entries(samples))
    it(`is ${kind}: ${id}`, () => {
      expect(kindOf(sampleCard(id).text)).to.equal(kind)
    })

  const texts: readonly Readonly<[string, MentionKind]>[] = [
    ['', 'call'],
    ['this could go up 10x', 'call'],
    ['another one from the same dev', 'call'],
    ['another 100x gem', 'call'],
    ['buying 2x my usual size', 'call'],
    ['$CAT is up 51%', 'brag'],
    ['$CAT is now up 3x', 'brag'],
    ['5x from our entry', 'brag'],
    ['12.5x and counting since the call', 'brag'],
    ['Win Rate: 49%', 'brag'],
    ['Another whale aped $CAT', 'recall'],
    ['another entry on this one', 'recall'],
    ['recalling $CAT', 'recall'],
    ['he called it again', 'recall'],
  ]
  for (const [text, kind] of texts)
    it(`is ${kind}: ${text}`, () => {
      expect(kindOf(text)).to.equal(kind)
    })
})
