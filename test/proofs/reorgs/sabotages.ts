/** Plausible mistakes about reorgs, each one change in one file. A good seed finds many of them. */

import { sabotagesIn as inFile, type Sabotage } from '../checkout-copy.ts'

const ofStage: readonly Sabotage[] = [
  ...inFile('processors/runtime/restatement/restatement.ts', {
    'a row restated again names no other': ['supersede(row) : wasFor', 'supersede(row) : null'],
    'a row takes the last free instant': ['?.shift()) || null', '?.pop()) || null'],
    'two rows supersede the same one': ['?.shift()) || null', '?.[0]) || null'],
    'a row of any name is superseded': [
      '({ token, key }: RowVersion) =>',
      '({ token }: RowVersion) => token\n  const _unused = ({ token, key }: RowVersion) =>',
    ],
    'no earlier version is looked at': ['rows.get(id) ?? earlier.get(id)', 'rows.get(id)'],
    'rows that are published only are not looked up': [
      '[...published].filter(isMissingIn(folded))',
      '[].filter(isMissingIn(folded))',
    ],
    'rows that are folded only are not looked up': [
      '[...folded].filter(isMissingIn(published))',
      '[].filter(isMissingIn(published))',
    ],
    'nothing is withdrawn': [
      "...withdrawn.map(({ row }) => markOf(row, { type: 'Withdrawn', data: row.key }))",
      '...[]',
    ],
    'what did not change is published again': [
      'bytesOf(was).equals(bytesOf(is))',
      'bytesOf(was).equals(Buffer.alloc(0))',
    ],
    'changes come in the order of emission': ['.sort((left, right) => compareRows(stage, left.row, right.row))', ''],
    'changes are not sorted by instant': ['left.key.atMs - right.key.atMs', '0'],
    'changes are not sorted by type': ['compareText(left.key.recordType, right.key.recordType) ||', ''],
    'changes are not sorted by name': ['compareText(stage.rowNameOf(left.key), stage.rowNameOf(right.key)) ||', ''],
    'changes are not sorted by token': ['compareText(left.token, right.token) ||', ''],
  }),
  ...inFile('processors/runtime/restatement/row-versions.ts', {
    'a version after a mark forgets what it supersedes': [
      'supersedesAtMs: rows.get(id)?.supersedesAtMs ?? null',
      'supersedesAtMs: null',
    ],
    'a withdrawn row keeps what it superseded': [
      'record: null, supersedesAtMs: null',
      'record: null, supersedesAtMs: rows.get(rowId(stage, { token, key }))?.supersedesAtMs ?? null',
    ],
    'a withdrawn row is still there': [
      'rows.set(rowId(stage, { token, key }), { token, key, record: null, supersedesAtMs: null })',
      '',
    ],
    'rows of two instants are one': [
      "Pick<RowVersion, 'token' | 'key'>): string =>",
      "Pick<RowVersion, 'token' | 'key'>): string =>\n  stage.name + token + key.recordType + stage.rowNameOf(key) ||",
    ],
  }),
  ...inFile('processors/runtime/restatement/fold-canonical.ts', {
    'a snapshot that an earlier reorg reached is used': [
      'reorgs.every((reorg) => reorg.revertedFrom > blockNumber)',
      'true',
    ],
    'a snapshot of the first block that an earlier reorg took is used': [
      'reorg.revertedFrom > blockNumber)',
      'reorg.revertedFrom >= blockNumber)',
    ],
    'a snapshot of the first block that is taken back is used': [
      'blockNumber >= revertedFrom) return false',
      'blockNumber > revertedFrom) return false',
    ],
    'any snapshot is used': ['!fits(manifest) || blockNumber >= revertedFrom', '!fits(manifest)'],
    'the facts of an earlier reorg are folded too': ['  return reorgs\n}', '  return reorgs.slice(-1)\n}'],
    'only the first reorg counts': ['  return reorgs\n}', '  return reorgs.slice(0, 1)\n}'],
    'the append of a reorg begins at its tick': ['fromOffset: appendOffset })', 'fromOffset: batch.offsetAt(index) })'],
    'the append of a reorg begins one record late': ['fromOffset: appendOffset })', 'fromOffset: appendOffset + 1 })'],
    'answers are not folded': [
      'if (stage.isAnswer(record)) walk.onAnswer(token, record)',
      'if (stage.isAnswer(record)) return',
    ],
    'answers of the abandoned branch come with the reorg': ['      else base.walk.onRevertedTick(record.data)\n', ''],
    'ticks of the abandoned branch are folded': [
      'else if (isCanonicalAt(record.data.blockNumber))',
      'else if (record.data.blockNumber >= (base.walk.lastTick?.blockNumber ?? 0))',
    ],
    'ticks that restated are not folded': [
      'else if (isCanonicalAt(record.data.blockNumber))',
      'else if (isCanonicalAt(record.data.blockNumber) && (record.data.revertedFrom === null || batch.offsetAt(index) === offset))',
    ],
    'the published rows are compared from the first one on': [
      'return { walk, ...stored.manifest, reorgs }',
      'return { walk, ...stored.manifest, derivedOffset: 0, reorgs }',
    ],
  }),
  ...inFile('processors/runtime/restatement/canonical-facts.ts', {
    'the first fact of the new branch dies': ['offset < fromOffset', 'offset <= fromOffset'],
    'the first block that is taken back lives': ['blockNumber >= revertedFrom', 'blockNumber > revertedFrom'],
    'the last block that stays dies': ['blockNumber >= revertedFrom', 'blockNumber >= revertedFrom - 1'],
  }),
  ...inFile('processors/runtime/run-task.ts', {
    'ticks are not committed before a reorg is handled': [
      'await this.#commit()\n    await taker.settle()\n    const may',
      'await taker.settle()\n    const may',
    ],
    'the walk of the abandoned branch goes on': ['this.#walk = restatement.walk', ''],
    'snapshots of the abandoned branch stay': ['await taker.dropReorged({ seq: tick.seq, ...reorg })', ''],
  }),
  ...inFile('processors/runtime/restatement/published-rows.ts', {
    'rows are looked for in one stretch only': [
      'missing.size > 0 && untilOffset > startOffset',
      'missing.size > 0 && untilOffset > startOffset && stepCount === firstStepCount',
    ],
    'the stretch of the instant itself is the last': ['key.atMs <= earliestAtMs', 'key.atMs < earliestAtMs'],
    'rows are looked for as if none were older': [
      '!found.has(id) && key.atMs <= earliestAtMs',
      '!found.has(id) && key.atMs > earliestAtMs',
    ],
    'what the tick before published is left out': ['record.data.seq >= beforeSeq', 'record.data.seq >= beforeSeq - 1'],
  }),
  ...inFile('processors/runtime/snapshots/snapshot-store.ts', {
    'a snapshot of the first block that is taken back stays': [
      'blockNumber }) => blockNumber >= revertedFrom',
      'blockNumber }) => blockNumber > revertedFrom',
    ],
  }),
  ...inFile('processors/runtime/token-states.ts', {
    'a restored token has no timers': [
      'this.schedule(entry, processorIndex, dueAtMs)',
      'this.schedule(entry, processorIndex, dueAtMs + 1e12)',
    ],
  }),
]

const ofIngest: readonly Sabotage[] = [
  ...inFile('ingest/chain-a/follow/replacement.ts', {
    'no block has to be the child of the one before': ['first.parentHash !== before.hash', 'first.parentHash === ""'],
    'a branch told again may begin at any parent': ['checkFollows(raw, before, dependencies.nowMs())', ''],
  }),
  ...inFile('ingest/chain-a/follow/rpc-source.ts', {
    'a range may begin at any parent': ['checkFollows(raw, last, dependencies.nowMs())', ''],
    'a late log replaces its own block only': ['({ number }) => number < late', '({ number }) => number <= late'],
  }),
  ...inFile('ingest/chain-a/follow/branch.ts', {
    'a block of another hash is the same': ['isSameBlock({ hash, atMs }, found, nowMs()))', 'found)'],
    'a block counts as replaced at the first look': ['const looks = 3', 'const looks = 1'],
    'any block of the height is common': [
      'isSameBlock(block, await readHeader(node, block.number, signal), nowMs())\n  const common',
      '(await readHeader(node, block.number, signal)) !== null || nowMs() === 0\n  const common',
    ],
    'a shorter branch is a node that is behind': [
      "branch === 'replaced' ? branch : 'behind'",
      "branch === 'replaced' ? 'behind' : 'behind'",
    ],
    'a node behind is taken for a shorter branch': [
      'isSameBlock(below, await readHeader(node, below.number, signal), nowMs()))',
      "(await readHeader(node, below.number, signal))?.hash === '')",
    ],
  }),
  ...inFile('ingest/chain-a/follow/check-range.ts', {
    'headers of a range need not be linked': [
      'parent && parent.hash !== parentHash',
      'parent && parentHash === undefined',
    ],
    'logs and headers may be of different branches': ['else if (expected !== hash)', 'else if (hash === undefined)'],
    'a log may come twice': ['before && !(byPlace(before, log) < 0)', 'before && byPlace(before, log) > 0'],
  }),
  ...inFile('ingest/chain-a/follow/recheck.ts', {
    'blocks that a reorg replaced are not read again': ['if (revertedFrom !== undefined) forgetFrom(revertedFrom)', ''],
    'facts that a reorg took count as published': [
      'if (number >= block) ids.delete(number)\n    nextBlock',
      'if (number > block + 1e9) ids.delete(number)\n    nextBlock',
    ],
    'a block between two second readings is left out': ['nextBlock = toBlock + 1', 'nextBlock = toBlock + 2'],
    'what was not read again before a restart is not read again': [
      'before.number - 2 * recheckBlocks + 1',
      'cursor.number + 1',
    ],
    'a late log is never found': ['if (late) return', 'if (late && ids.size < 0) return'],
  }),
  ...inFile('ingest/newest-common.ts', {
    'the block before the common one is common': [
      'return blocks[low - 1]',
      'return blocks[low - 2] ?? blocks[low - 1]',
    ],
  }),
  ...inFile('ingest/known-chain.ts', {
    'facts that a reorg took are known': [
      'facts = facts.filter(({ fact }) => stage.blockNumberOf(fact) < revertedFrom)',
      '',
    ],
    'blocks that a reorg took are known': ['ticks = ticks.filter((tick) => tick.number < revertedFrom)', ''],
    'the block before a reorg is not known': [
      'ticks = ticks.filter((tick) => tick.number < revertedFrom)',
      'ticks = ticks.filter((tick) => tick.number < revertedFrom - 1)',
    ],
  }),
]

export const sabotages = { stage: ofStage, ingest: ofIngest } as const
export type Machinery = keyof typeof sabotages
