import { expect } from 'chai'
import { mints } from '../../../../processors/chain-b/mints/processor.ts'
import { chainB } from '../../../../processors/stages.ts'
import { second } from '../../../support/builders/build-facts.ts'
import {
  buildCurveCompleted,
  buildCurveFound,
  buildCurveLaunched,
  buildCurveMigrated,
  buildCurveTraded,
  buildGapFound,
  buildKey,
  buildPoolTraded,
  given,
  late,
  testCurve,
} from '../../../support/chain-b/build-facts.ts'

const hour = 3600
const launched = [buildCurveLaunched({ blockAtMs: second(0), blockNumber: 900 })]
const closed = (openedSec: number, closedSec: number) => ({
  type: 'MintClosed' as const,
  data: { openedAtMs: second(openedSec), closedAtMs: second(closedSec) },
})

describe('a mint', () => {
  const terms = { curve: testCurve, creator: buildKey(0xc0), quoteMint: null, isMayhem: false }

  it('opens with its launch', () => {
    const opened = { launcher: buildKey(0xde), name: 'Test', symbol: 'TEST', launchSlot: 900, launchAtMs: second(0) }
    given(mints)
      .when(...launched)
      .emits([{ type: 'MintOpened', data: { openedAtMs: second(0), ...terms, ...opened } }])
  })

  it('opens with a find, and anew with another one', () => {
    const found = { launcher: null, name: null, symbol: null, launchSlot: 7, launchAtMs: second(-9) }
    const opened = (atSec: number) => ({
      type: 'MintOpened' as const,
      data: { openedAtMs: second(atSec), ...terms, ...found },
    })
    const find = (atSec: number) => buildCurveFound({ blockAtMs: second(atSec), launchSlot: 7, launchAtMs: second(-9) })
    given(mints)
      .when(find(5))
      .emits([opened(5)])
    given(mints, [find(5)])
      .when(find(9))
      .emits([opened(9)])
  })

  it('opens once with its launch, and never with a late one', () => {
    given(mints, launched)
      .when(buildCurveLaunched({ blockAtMs: second(1) }))
      .emits([])
    given(mints).when(late(buildCurveLaunched())).emits([])
    given(mints).when(buildCurveTraded()).emits([])
  })

  it('closes a day after its newest fact that counts', () => {
    const traded = given(mints, launched).when(buildCurveTraded({ blockAtMs: second(hour) }))
    traded.wokenAt(second(25 * hour) - 1).emits([])
    traded.wokenAt(second(25 * hour)).emits([closed(0, 25 * hour)])
    const inPool = given(mints, launched).when(buildPoolTraded({ blockAtMs: second(hour) }))
    inPool.wokenAt(second(25 * hour)).emits([closed(0, 25 * hour)])
    const uncounted = [late(buildCurveTraded({ blockAtMs: second(hour) })), buildGapFound({ blockAtMs: second(hour) })]
    given(mints, launched)
      .when(...uncounted)
      .wokenAt(second(24 * hour))
      .emits([closed(0, 24 * hour)])
  })

  it('closes 65 minutes after its curve was complete, whatever is traded', () => {
    const completions = [
      buildCurveCompleted({ blockAtMs: second(hour) }),
      buildCurveMigrated({ blockAtMs: second(hour) }),
      buildCurveTraded({ blockAtMs: second(hour), realTokenRaw: 0n }),
    ]
    for (const completed of completions) {
      const traded = given(mints, [...launched, completed]).when(buildPoolTraded({ blockAtMs: second(2 * hour) }))
      traded.emits([])
      traded.wokenAt(second(hour + 3900)).emits([closed(0, hour + 3900)])
    }
    const unfinished = given(mints, launched).when(late(completions[0]!))
    unfinished.wokenAt(second(23 * hour)).emits([])
  })

  it('leaves nothing behind in any processor', () => {
    const facts = [
      buildCurveTraded({ blockAtMs: second(600), sol: 12 }),
      buildCurveMigrated({ blockAtMs: second(700) }),
    ]
    const then = given(chainB.processors, [...launched, ...facts]).wokenAt(second(30 * hour))
    expect(then.driver.counts()).to.deep.equal({ tokens: 0, timers: 0 })
  })
})
