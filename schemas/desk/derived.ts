/**
 * The records of the paper desk (the simulated trading) on every chain. They describe hypothetical trades at
 * prices from the log. The key of a record is the token.
 */
import { type AvroValue, enumOf, nullable, recordOf } from '../avro.ts'
import { epochMs, marketId } from '../flavors.ts'

/**
 * The groups of strategies. `main` has the strategies whose results count as results of the paper desk.
 * `explore` has strategies that are being tested.
 */
export const books = ['main', 'explore'] as const
export type Book = (typeof books)[number]

export const deskExits = ['stop', 'take_profit', 'trail', 'time', 'rug', 'graduated'] as const
export type DeskExit = (typeof deskExits)[number]

const entryAndExit = [
  { name: 'openedAtMs', type: epochMs, doc: 'the fill: the signal and the stated delay' },
  { name: 'closedAtMs', type: epochMs },
  { name: 'market', type: marketId, doc: 'pool or curve' },
  { name: 'ret', type: 'double', doc: 'on cost, all fees deducted' },
  { name: 'peakRet', type: 'double', doc: 'the best it stood at, fees deducted' },
  { name: 'exit', type: enumOf('DeskExit', deskExits) },
] as const

/**
 * A closed trade of a strategy. A strategy holds at most one position of a token at a time, with a fixed
 * stake.
 */
const deskTrade = recordOf('DeskTrade', [
  { name: 'book', type: enumOf('Book', books) },
  { name: 'lane', type: 'string', doc: 'the name of the strategy' },
  { name: 'signalAtMs', type: epochMs },
  ...entryAndExit,
])

/**
 * A strategy opened a position. The record is published at the fill. If the service knew the record soon
 * after the fill, the trade was made live. If not, the stage was behind.
 */
const deskOpened = recordOf('DeskOpened', [
  { name: 'book', type: enumOf('Book', books) },
  { name: 'lane', type: 'string' },
  { name: 'signalAtMs', type: epochMs },
  { name: 'openedAtMs', type: epochMs },
  { name: 'market', type: marketId },
])

/**
 * A closed random trade (twin) for comparison. It was opened at a random time and uses the exit rule of a
 * lane (strategy). A hash of the token and the time selects the moment of the entry. Trades of the paper desk
 * are compared with twins in other tokens at about the same time.
 */
const deskTwin = recordOf('DeskTwin', [{ name: 'lane', type: 'string' }, ...entryAndExit])

/**
 * The prices in the hour after a signal. They are recorded whether or not a lane (strategy) traded. Returns
 * are relative to the fill price, without costs.
 */
const deskShadow = recordOf('DeskShadow', [
  { name: 'signalAtMs', type: epochMs },
  { name: 'signal', type: 'string', doc: '`burst` or `call`' },
  { name: 'anchorAtMs', type: epochMs },
  { name: 'market', type: marketId },
  { name: 'ret1', type: nullable('double') },
  { name: 'ret5', type: nullable('double') },
  { name: 'ret15', type: nullable('double') },
  { name: 'ret60', type: nullable('double') },
  { name: 'mfe', type: 'double' },
  { name: 'mae', type: 'double' },
])

/** The derived schemas of the paper desk. They are the same on every chain. */
export const deskDerivedSchemas = {
  DeskOpened: deskOpened,
  DeskTrade: deskTrade,
  DeskTwin: deskTwin,
  DeskShadow: deskShadow,
} as const

export type DeskOpened = AvroValue<typeof deskOpened>
export type DeskTrade = AvroValue<typeof deskTrade>
export type DeskTwin = AvroValue<typeof deskTwin>
export type DeskShadow = AvroValue<typeof deskShadow>
