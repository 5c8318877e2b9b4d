import { expect } from 'chai'
import { whyNotReady } from '../../../api/edge/readiness.ts'
import type { DescribedSource } from '../../../api/edge/service-info.ts'
import type { Answers } from '../../../api/sale/answers.ts'
import { chainAStage } from '../../../schemas/chain-a/stage.ts'
import { chatsStage } from '../../../schemas/chats/stage.ts'
import { fixedCut } from '../../support/fixed-queries.ts'

describe('whether the service is ready', () => {
  const sources: readonly DescribedSource[] = [{ stage: chainAStage }, { stage: chatsStage }]
  const answersFor = (known: readonly string[]) =>
    ({
      newestCut: async ([stage]: readonly Readonly<{ name: string }>[]) =>
        stage && known.includes(stage.name) ? { atMs: 1, stages: { [stage.name]: fixedCut } } : null,
    }) as unknown as Answers
  const [both, one] = [answersFor(['chain-a', 'chats']), answersFor(['chain-a'])]
  const running = new AbortController().signal

  for (const [what, answers, stopping, expected] of [
    ['with data of all sources', both, running, null],
    ['without a signal', both, undefined, null],
    ['without data of the chats', one, running, 'there is no data yet of chats'],
    ['while it stops', both, AbortSignal.abort(), 'the service is stopping'],
  ] as const)
    it(`is ${expected === null ? 'yes' : 'no'} ${what}`, async () => {
      expect(await whyNotReady({ sources, answers, stopping })).to.equal(expected)
    })
})
