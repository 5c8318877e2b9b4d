/** Reads from the node the fields of facts that the EVM logs lack. Fails as `Node.request` does. The caller then reads the range again. */
import type { ChainAFact, CurveLaunched } from '../../../schemas/chain-a/facts.ts'
import type { Address } from '../../../schemas/units.ts'
import type { DecodedLogs } from '../decode/decode-logs.ts'
import type { CurveTerms } from '../launchpads/launchpad.ts'
import { readSenders } from '../node/read-senders.ts'
import type { TokenFact } from '../types.ts'
import type { FollowDependencies } from './dependencies.ts'

/**
 * Whether the fact needs the sender of its transaction. The service treats this sender as an insider of the
 * pool.
 */
const hasSender = ({ type, data }: ChainAFact): boolean =>
  type === 'PoolCreated' || (type === 'LiquidityChanged' && data.salt !== null && data.liquidityDelta > 0n)

export async function withSenders(
  { node, signal }: Pick<FollowDependencies, 'node' | 'signal'>,
  facts: readonly TokenFact[],
): Promise<readonly TokenFact[]> {
  const hashes = facts.flatMap(({ fact }) => (hasSender(fact) ? [fact.data.txHash] : []))
  if (hashes.length === 0) return facts
  const senders = await readSenders(node, hashes, signal)
  return facts.map((keyed) => (hasSender(keyed.fact) ? withSender(keyed, senders.get(keyed.fact.data.txHash)) : keyed))
}

function withSender({ key, fact }: TokenFact, txSender: Address | undefined): TokenFact {
  // All these facts have the field `txSender`, but the compiler cannot infer this from the union.
  return { key, fact: { type: fact.type, data: { ...fact.data, txSender } } as ChainAFact }
}

type Decoded = Pick<DecodedLogs, 'facts' | 'newAddresses'>
type Launched = Readonly<{ token: Address; data: CurveLaunched }>

/**
 * Adds the terms of launched curves, such as the token's supply. Removes a curve and all its facts if its
 * contracts do not answer like those of its launchpad.
 */
export async function withTerms(dependencies: FollowDependencies, { facts, newAddresses }: Decoded): Promise<Decoded> {
  const launched = facts.flatMap(({ key, fact }) =>
    fact.type === 'CurveLaunched' ? [{ token: key as Address, data: fact.data }] : [],
  )
  if (launched.length === 0) return { facts, newAddresses }
  const terms = await readTerms(dependencies, launched)
  const without = new Set(launched.flatMap(({ data: { curve } }) => (terms.has(curve) ? [] : [curve])))
  for (const curve of without)
    dependencies.logger.error(
      { curve },
      'the contracts of a curve do not answer like other contracts of its launchpad. Ingest writes no fact of this curve to the log, unless it finds the curve at a later trade',
    )
  const isOfOther = (data: object) => !('curve' in data && without.has(data.curve as Address))
  return {
    newAddresses: newAddresses.filter(({ data }) => isOfOther(data)),
    facts: facts.filter(({ fact }) => isOfOther(fact.data)).map((keyed) => withTermsOf(keyed, terms)),
  }
}

async function readTerms({ launchpads, curves, signal }: FollowDependencies, launched: readonly Launched[]) {
  const launches = launched.flatMap(({ token, data: { curve, blockNumber, blockHash, launchpad: name } }) => {
    const launchpad = launchpads.find((each) => each.name === name)
    return launchpad ? [{ curve, token, launchpad, blockNumber, blockHash }] : []
  })
  return await curves.readTerms(launches, signal)
}

function withTermsOf({ key, fact }: TokenFact, terms: ReadonlyMap<Address, CurveTerms>): TokenFact {
  if (fact.type !== 'CurveLaunched') return { key, fact }
  return { key, fact: { type: fact.type, data: { ...fact.data, ...terms.get(fact.data.curve) } } }
}
