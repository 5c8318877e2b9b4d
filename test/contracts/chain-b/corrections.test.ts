import { expect } from 'chai'
import { createChainBCorrections } from '../../../projections/chain-b/queries/corrected.ts'
import {
  buildBurst,
  buildGraduation,
  buildRestated,
  buildWithdrawn,
  createChainBLog,
  mint,
} from '../../projections/chain-b/derived-log.ts'
import { noonMs } from '../../projections/derived-log.ts'
import { chainBTablesOfTests } from './tables.ts'

describe('the corrections of chain B in the tables', () => {
  const tables = chainBTablesOfTests()
  const all = { afterMs: 0, toMs: noonMs + 60_000 }

  it('are the rows that a reorg changed, moved or removed, each with the reason and the former values', async () => {
    const derived = await createChainBLog()
    const graduation = { recordType: 'Graduation', atMs: noonMs }
    await derived.tick(noonMs + 1000, [
      [mint(1), buildBurst()],
      [mint(2), buildBurst()],
      [mint(3), buildBurst()],
      [mint(4), buildGraduation()],
    ])
    await derived.tick(noonMs + 2000, [
      [mint(1), buildRestated()],
      [mint(1), buildBurst({ fillAt: 0.5 })],
      [mint(2), buildRestated({ atMs: noonMs + 500, supersedesAtMs: noonMs })],
      [mint(2), buildBurst({ atMs: noonMs + 500 })],
    ])
    await derived.tick(noonMs + 3000, [
      [mint(3), buildWithdrawn()],
      [mint(4), buildWithdrawn(graduation)],
    ])
    await derived.tick(noonMs + 4000)
    await tables.project(derived)
    const corrections = createChainBCorrections(tables.writer)
    const found = await corrections.knownIn(all, 100)
    const shown = found.map(({ token, recordType, knownAtMs, atMs, movedFromAtMs, isWithdrawn, reason }) => [
      ...[token, recordType, knownAtMs - noonMs, atMs - noonMs],
      ...[movedFromAtMs === null ? null : movedFromAtMs - noonMs, isWithdrawn, reason],
    ])
    expect(shown).to.have.deep.members([
      [mint(1), 'Burst', 2000, 0, null, false, 'reorg'],
      [mint(2), 'Burst', 2000, 500, 0, false, 'reorg'],
      [mint(3), 'Burst', 3000, 0, null, true, 'reorg'],
      [mint(4), 'Graduation', 3000, 0, null, true, 'reorg'],
    ])
    expect(found.find(({ token }) => token === mint(1))?.changes).to.deep.equal([
      { field: 'fillAt', from: 0.4, to: 0.5 },
    ])
    expect(await corrections.missingUntilMs()).to.equal(0)
  })
})
