/**
 * Computes the expected facts of the simulated chain's logs, without code of ingest. viem decodes the events
 * from their signatures, and maps hold the relations.
 */
import assert from 'node:assert/strict'
import { type ContractEventName, decodeEventLog, parseAbi } from 'viem'
import type { RawLog } from '../../../ingest/chain-a/decode/log-words.ts'
import type { ChainAFact } from '../../../schemas/chain-a/facts.ts'
import type { ChainPlace } from '../../../schemas/chain-place.ts'
import type { Hex } from '../../../schemas/units.ts'
import { curveTerms } from './branching-curves.ts'
import type { Emitters } from './branching-words.ts'

const abi = parseAbi([
  'event Initialize(bytes32 indexed id, address indexed currency0, address indexed currency1, uint24 fee, int24 tickSpacing, address hooks, uint160 sqrtPriceX96, int24 tick)',
  'event Swap(bytes32 indexed id, address indexed sender, int128 amount0, int128 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick, uint24 fee)',
  'event ModifyLiquidity(bytes32 indexed id, address indexed sender, int24 tickLower, int24 tickUpper, int256 liquidityDelta, bytes32 salt)',
  'event Transfer(address indexed from, address indexed to, uint256 indexed id)',
  'event TokenLaunched(address indexed token, address indexed curve, address indexed deployer, address pairToken, uint256 launchConfigId, uint256 graduationThreshold)',
  'event PoolGraduated(address indexed token, uint256 positionId, uint256 tokenAmount, uint256 pairTokenAmount)',
  'event CurveBuy(address indexed buyer, address indexed recipient, uint256 quoteIn, uint256 tokensOut, uint256 fee, uint256 tax)',
  'event CurveCompleted(address recipient, uint256 quoteOut, uint256 tokenOut)',
])

type Event = ReturnType<typeof decodeEventLog<typeof abi, ContractEventName<typeof abi>>>
type ArgsOf<Name extends Event['eventName']> = Extract<Event, { eventName: Name }>['args']

const none: Hex = `0x${'0'.repeat(40)}`
const lower = (text: Hex): Hex => text.toLowerCase() as Hex
const numberText = (id: bigint): Hex => `0x${id.toString(16).padStart(64, '0')}`

type World = Readonly<{
  emitters: Emitters
  atMsOf: (log: RawLog) => number
  senderOf: (txHash: Hex) => Hex
}>

/**
 * Returns the facts of the logs, which must be in chain order. Facts of curves from before the first log are
 * left out.
 */
export function factsOfLogs(logs: readonly RawLog[], world: World): readonly ChainAFact[] {
  const reader = new Reader(logs, world)
  return logs.flatMap((log) => reader.factOf(log) ?? [])
}

class Reader {
  readonly #world: World
  readonly #pools = new Set<Hex>()
  readonly #poolOfPosition = new Map<Hex, Hex>()
  readonly #curveOfToken = new Map<Hex, Hex>()
  /** The pool in which each transaction changes a position, by transaction hash. */
  readonly #poolOfTransaction: ReadonlyMap<string, Hex>

  constructor(logs: readonly RawLog[], world: World) {
    this.#world = world
    this.#poolOfTransaction = new Map(
      logs.flatMap((log) => {
        const event = eventOf(log)
        return event.eventName === 'ModifyLiquidity' ? [[log.transactionHash, event.args.id]] : []
      }),
    )
  }

  factOf(log: RawLog): ChainAFact | null {
    const event = eventOf(log)
    const place = this.#placeOf(log)
    const txSender = this.#world.senderOf(place.txHash)
    switch (event.eventName) {
      case 'Initialize':
        return this.#created(event.args, { ...place, txSender })
      case 'Swap':
        return this.#pools.has(event.args.id) ? swapped(event.args, place) : null
      case 'ModifyLiquidity':
        return this.#pools.has(event.args.id) ? this.#changed(event.args, { ...place, txSender }) : null
      case 'Transfer':
        return this.#transferred(event.args, place)
      case 'TokenLaunched':
        return this.#launched(event.args, place)
      case 'PoolGraduated':
        return this.#graduated(event.args, place)
      default:
        return this.#ofCurve(lower(log.address as Hex), event, place)
    }
  }

  #placeOf(log: RawLog): ChainPlace {
    return {
      blockNumber: Number(log.blockNumber),
      blockAtMs: this.#world.atMsOf(log),
      blockHash: log.blockHash as Hex,
      txIndex: Number(log.transactionIndex),
      logIndex: Number(log.logIndex),
      txHash: log.transactionHash as Hex,
    }
  }

  #created(args: ArgsOf<'Initialize'>, place: ChainPlace & Readonly<{ txSender: Hex }>): ChainAFact {
    const { id: pool, currency0, currency1, fee, tickSpacing, hooks, sqrtPriceX96 } = args
    assert.deepEqual([currency0, hooks], [none, none], 'the chain makes pools of ETH alone')
    this.#pools.add(pool)
    const kind = { dex: 'v4', ethIsCurrency0: true, hooks: null } as const
    const data = { pool, token: lower(currency1), ...kind, fee, tickSpacing, sqrtPriceX96, ...place }
    return { type: 'PoolCreated', data }
  }

  #changed(args: ArgsOf<'ModifyLiquidity'>, place: ChainPlace & Readonly<{ txSender: Hex }>): ChainAFact {
    const { id: pool, sender, tickLower, tickUpper, liquidityDelta, salt } = args
    const owner = lower(sender)
    assert.equal(owner, this.#world.emitters.positionManager)
    const data = { pool, tickLower, tickUpper, liquidityDelta, owner, salt, positionId: salt, ...place }
    return { type: 'LiquidityChanged', data }
  }

  #transferred({ from, to, id }: ArgsOf<'Transfer'>, place: ChainPlace): ChainAFact | null {
    const positionId = numberText(id)
    const minted = this.#poolOfTransaction.get(place.txHash)
    if (from === none && minted) this.#poolOfPosition.set(positionId, minted)
    const pool = this.#poolOfPosition.get(positionId)
    if (!pool || !this.#pools.has(pool)) return null
    return { type: 'PositionTransferred', data: { pool, positionId, from: lower(from), to: lower(to), ...place } }
  }

  #launched(args: ArgsOf<'TokenLaunched'>, place: ChainPlace): ChainAFact {
    const [token, curve, creator] = [lower(args.token), lower(args.curve), lower(args.deployer)]
    this.#curveOfToken.set(token, curve)
    const terms = { launchpad: 'pons-v2', graduationWei: args.graduationThreshold, ...curveTerms }
    return { type: 'CurveLaunched', data: { curve, creator, ...terms, ...place } }
  }

  #graduated({ token, positionId }: ArgsOf<'PoolGraduated'>, place: ChainPlace): ChainAFact | null {
    const curve = this.#curveOfToken.get(lower(token))
    return curve ? { type: 'CurveGraduated', data: { curve, positionId: numberText(positionId), ...place } } : null
  }

  #ofCurve(
    curve: Hex,
    { eventName, args }: Extract<Event, { eventName: 'CurveBuy' | 'CurveCompleted' }>,
    place: ChainPlace,
  ): ChainAFact | null {
    if (![...this.#curveOfToken.values()].includes(curve)) return null
    if (eventName === 'CurveCompleted') return { type: 'CurveCompleted', data: { curve, ...place } }
    const { recipient, quoteIn: ethWei, tokensOut: tokenRaw, fee: feeWei, tax: taxWei } = args
    const trade = { trader: lower(recipient), ethWei, tokenRaw, feeWei, taxWei }
    return { type: 'CurveTraded', data: { curve, ...trade, ...place } }
  }
}

const eventOf = ({ topics, data }: RawLog): Event =>
  decodeEventLog({ abi, topics: topics as [Hex, ...Hex[]], data: data as Hex, strict: true })

/**
 * Returns the fact of a v4 swap. The amounts of the event are seen from the swapper, so ETH that is paid in
 * is negative there.
 */
function swapped(args: ArgsOf<'Swap'>, place: ChainPlace): ChainAFact {
  const { id: pool, sender, amount0, amount1: tokenRaw, sqrtPriceX96, liquidity, tick } = args
  const data = { pool, ethWei: -amount0, tokenRaw, sqrtPriceX96, liquidity, tick, sender: lower(sender), ...place }
  return { type: 'Swap', data }
}
