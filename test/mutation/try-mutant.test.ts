import { expect } from 'chai'
import type { Tried } from './messages.ts'
import type { Plan } from './plan.ts'
import { tryMutant } from './try-mutant.ts'
import type { WorkerLink } from './worker-link.ts'

const passed: Tried = { kind: 'tried', killedBy: null, hits: 10, isSpoiled: false }
const by = { file: 'a.test.ts', title: 'a test' }
const failed: Tried = { ...passed, killedBy: by }
const none: Plan = { runs: [], durationMs: 0, hits: 0 }
const some: Plan = { runs: [{ file: 'a.test.ts', titles: null, limitMs: 1 }], durationMs: 1, hits: 10 }

/** Answers in this order. A process is fresh after it was renewed or died. */
function scripted(isUsed: boolean, ...answers: readonly (Tried | null)[]): WorkerLink & Readonly<{ asked: string[] }> {
  const asked: string[] = []
  let isFresh = !isUsed
  return {
    asked,
    isFresh: () => isFresh,
    renew: async () => {
      isFresh = true
    },
    ask: async () => {
      asked.push(isFresh ? 'fresh' : 'used')
      const answer = answers[asked.length - 1]
      if (answer === undefined) throw new RangeError('asked more often than expected')
      isFresh = answer === null
      return answer
    },
  }
}

const outcome = (link: WorkerLink, loading: Plan | null = null, running = some) =>
  tryMutant(link, { number: '1', running, loading })

describe('a mutant', () => {
  it('is killed by a test that fails, and survives tests that pass', async () => {
    expect(await outcome(scripted(true, failed))).to.deep.equal({ kind: 'killed', by })
    expect(await outcome(scripted(true, passed))).to.deep.equal({ kind: 'survived' })
  })

  it('is not tried if no test meets it', async () => {
    expect(await outcome(scripted(true), null, none)).to.deep.equal({ kind: 'unmet' })
  })

  it('is tried again in a new process if the test fails without it too', async () => {
    const link = scripted(true, { ...failed, isSpoiled: true }, passed)
    expect(await outcome(link)).to.deep.equal({ kind: 'survived' })
    expect(link.asked).to.deep.equal(['used', 'fresh'])
  })

  it('is tried again in a new process if a used one dies or does not end, and killed if a new one does so', async () => {
    expect(await outcome(scripted(true, null, passed))).to.deep.equal({ kind: 'survived' })
    expect(await outcome(scripted(true, null, null))).to.deep.equal({ kind: 'killed', by: null })
    expect(await outcome(scripted(false, null))).to.deep.equal({ kind: 'killed', by: null })
  })

  it('is tried in a new process if it was met less often than without it: something was kept from before', async () => {
    const link = scripted(true, { ...passed, hits: 0 }, failed)
    expect(await outcome(link)).to.deep.equal({ kind: 'killed', by })
  })

  it('is on while files are loaded if it is met there', async () => {
    const link = scripted(true, passed, failed)
    expect(await outcome(link, some)).to.deep.equal({ kind: 'killed', by })
    expect(link.asked).to.deep.equal(['used', 'fresh'])
    expect(await outcome(scripted(true, failed), some, none)).to.deep.equal({ kind: 'killed', by })
  })
})
