/**
 * The types of requests and answers, from the route values of the service. Nothing of this file remains when the
 * program runs, so the client loads no code of the service. A new chain or product is added here.
 */
import type { z } from 'zod'
import type { CallRoute } from '../calls/product.ts'
import type { ChainARoute } from '../chain-a/chain.ts'
import type { createStreamPart as chainAStream } from '../chain-a/stream-part.ts'
import type { ChainBRoute } from '../chain-b/chain.ts'
import type { createStreamPart as chainBStream } from '../chain-b/stream-part.ts'
import type { createDeskTradesRoute } from '../desk/trades-route.ts'
import type {
  AsOfParam,
  ChoiceParam,
  FilterParam,
  InstantParam,
  NumberParam,
  Param,
  Params,
  PathParam,
} from '../sale/params.ts'
import type { createSnapshotRoute } from '../snapshot.ts'
import type { createPassRoute } from '../stream/pass-route.ts'

type Sold =
  | ChainARoute
  | ChainBRoute
  | CallRoute
  | NonNullable<ReturnType<typeof createSnapshotRoute>>
  | NonNullable<ReturnType<typeof createDeskTradesRoute>>
  | ReturnType<typeof createPassRoute>

/** The pattern of a paid route: `/v1/rh/bursts/live`, `/v1/rh/pools/:id/flow`. */
export type PaidPath = Sold['pattern']

type RouteAt<Path extends PaidPath> = Extract<Sold, Readonly<{ pattern: Path }>>

/** The answer of a paid route. */
export type AnswerOf<Path extends PaidPath> = z.output<RouteAt<Path>['schema']>

type Given<P extends Param> = P extends NumberParam | AsOfParam
  ? number
  : P extends InstantParam
    ? number | string
    : P extends ChoiceParam<infer Value> | FilterParam<infer Value>
      ? Value
      : string

type RequiredNames<P extends Params> = { [Name in keyof P]: P[Name] extends PathParam ? Name : never }[keyof P]

type Asked<P extends Params> = {
  readonly [Name in RequiredNames<P>]: Given<P[Name]>
} & { readonly [Name in Exclude<keyof P, RequiredNames<P>>]?: Given<P[Name]> | undefined }

/** The parameters of a paid route. Parameters in the path are required. All others have a default in the service. */
export type AskedOf<Path extends PaidPath> = Asked<RouteAt<Path>['params']>

/** The paid routes that answer for a time in the past. */
export type PastPath = { [Path in PaidPath]: 'asOf' extends keyof AskedOf<Path> ? Path : never }[PaidPath]

type StreamedRow = ReturnType<typeof chainAStream>['rows'][number] | ReturnType<typeof chainBStream>['rows'][number]

/** The names of the events with new rows. */
export type RowEventName = StreamedRow['event']

/** The rows of the events with this name, in the shape of the live routes. */
export type RowOf<Name extends RowEventName> = z.output<Extract<StreamedRow, Readonly<{ event: Name }>>['schema']>
