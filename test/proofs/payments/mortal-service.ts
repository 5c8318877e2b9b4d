/** One process of the service. After a kill its calls do not continue, and its memory is gone. */
import type { FacilitatorClient } from '@x402/core/server'
import { openPaymentLedger, type PaymentRecord } from '../../../api/payments/ledger/ledger.ts'
import type { PaymentGate } from '../../../api/payments/payment.ts'
import { createPaymentGate } from '../../../api/payments/payment-gate.ts'
import type { PaymentNetwork } from '../../../api/payments/payment-network.ts'
import { runPaymentUpkeep } from '../../../api/payments/upkeep.ts'
import { createMemoryRegistry } from '../../../infra/codec/registry/schema-table.ts'
import { createSchemaCodec } from '../../../infra/codec/schema-codec.ts'
import { OperationError } from '../../../infra/errors.ts'
import type { Log, LogWriter, NewRecord } from '../../../infra/log/log.ts'
import type { Random } from '../../../ingest/simulated/random.ts'
import type { PaymentChanged } from '../../../schemas/payments.ts'
import { topics } from '../../../schemas/topics.ts'
import type { Time } from './virtual-time.ts'

export type Service = Readonly<{
  gate: PaymentGate
  isAlive: () => boolean
  kill: () => void
}>

export type Surroundings = Readonly<{
  time: Time
  random: Random
  log: Log
  /** The faults of the log. `faultRatio` is the share of appends whose result the service does not learn. */
  logWeather: { faultRatio: number }
  networks: readonly PaymentNetwork[]
  facilitator: FacilitatorClient
  answerBytesMax: number
  /** Called with each ledger record that is in the log, if the service learned that the append succeeded. */
  onRecorded: (change: PaymentChanged) => void
}>

const silent = () => {}
const codec = await createSchemaCodec<PaymentRecord>(topics.payments, createMemoryRegistry())

export async function startService(surroundings: Surroundings): Promise<Service> {
  const { time, facilitator, networks, answerBytesMax } = surroundings
  const life = createLife()
  const { nowMs } = time
  const sleep = life.bound(time.sleep)
  const log = mortalLog(surroundings, life)
  const ledger = await openPaymentLedger({ log, codec, nowMs })
  const gate = await createPaymentGate({
    ...{ ledger, nowMs, sleep, answerBytesMax },
    facilitators: [
      {
        verify: life.bound(facilitator.verify),
        settle: life.bound(facilitator.settle),
        getSupported: life.bound(facilitator.getSupported),
      },
    ],
    networks: networks.map((network) => ({ ...network, probe: life.bound(network.probe) })),
    publicBaseUrl: 'https://data.example',
    logger: { info: silent, warn: silent, error: silent },
  })
  const stop = new AbortController()
  void runPaymentUpkeep(gate, sleep, stop.signal)
  return {
    gate: { ...gate, run: life.bound(gate.run) },
    isAlive: life.isAlive,
    kill: () => {
      life.end()
      stop.abort()
    },
  }
}

function createLife() {
  let isOver = false
  return {
    isAlive: () => !isOver,
    end: () => {
      isOver = true
    },
    /** Returns the same call, but after the kill the call does nothing and never answers. */
    bound:
      <Asked extends unknown[], Answer>(call: (...asked: Asked) => Promise<Answer>) =>
      (...asked: Asked): Promise<Answer> =>
        new Promise((resolve, reject) => {
          if (isOver) return
          call(...asked).then(
            (answer) => isOver || resolve(answer),
            (error) => isOver || reject(error),
          )
        }),
  }
}

/** An append pauses before and after its write, so a kill can come before or after the record is in the log. */
function mortalLog(
  { time, random, log, logWeather, onRecorded }: Surroundings,
  life: ReturnType<typeof createLife>,
): Log {
  const pause = life.bound(() => time.sleep(random.whole(0, 20)))
  const noteRecorded = (records: readonly NewRecord[]) => {
    for (const { value } of records) if (value) onRecorded(codec.decode(value).data)
  }
  const append = async (writer: LogWriter, records: readonly NewRecord[]) => {
    const isUnsure = random.chance(logWeather.faultRatio)
    const isWritten = !isUnsure || random.chance(0.5)
    await pause()
    if (isWritten) await writer.append(records)
    if (!isUnsure) noteRecorded(records)
    await pause()
    if (isUnsure) throw new OperationError('log_unavailable', 'the answer was lost')
  }
  const mortal = (writer: LogWriter): LogWriter => ({
    ...writer,
    append: (records) => append(writer, records),
    confirm: life.bound(() => writer.confirm()),
    reopen: async () => mortal(await life.bound(() => writer.reopen())()),
  })
  return { ...log, openWriter: async (writerId, options) => mortal(await log.openWriter(writerId, options)) }
}
