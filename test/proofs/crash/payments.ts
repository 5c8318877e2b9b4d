/**
 * Kills the service during a payment, and repeats the payment with the same signature. The buyer must pay
 * only one time and must get the same bytes.
 */
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { ChainFinding } from '../../../api/payments/payment-network.ts'
import type { CrashPointName } from '../../../infra/crash-points.ts'
import { createEmbeddedLog } from '../../../infra/log/embedded/embedded-log.ts'
import { startFacilitatorDouble } from '../../support/payments/facilitator-double.ts'
import { createTestClock, openPaidService, requestFor, signFor, toHeader } from '../../support/payments/paid-service.ts'
import { type CampaignReport, countKill } from './campaign-report.ts'
import { type ChildJob, runChild, span } from './killer.ts'

export const paymentPoints: readonly CrashPointName[] = [
  'payment-settling-recorded',
  'payment-settled-unrecorded',
  'payment-settled-recorded',
]

/** The facilitator and the chain, outside of the process that dies. */
export type PaymentWorld = Readonly<{ facilitatorUrl: string; chainUrl: string }>

/** The job of the child. It pays with the signature of its first run, and writes the outcome to a file. */
export async function payOnce(dataDir: string, { facilitatorUrl, chainUrl }: PaymentWorld): Promise<void> {
  mkdirSync(dataDir, { recursive: true })
  const clock = createTestClock()
  const log = await createEmbeddedLog({ dataDir, nowMs: clock.nowMs })
  const probe = async (payment: object): Promise<ChainFinding> => {
    const answer = await fetch(chainUrl, { method: 'POST', body: JSON.stringify(payment) })
    return (await answer.json()) as ChainFinding
  }
  // No call hangs on purpose in this proof, so all calls get the long timeout of the test service.
  const { gate } = await openPaidService({ url: facilitatorUrl, probe }, { log, clock })
  const signatureFile = join(dataDir, 'signature.json')
  if (!existsSync(signatureFile)) {
    const signed = { payment: toHeader(await signFor(gate)), firstCutAtMs: process.pid }
    writeFileSync(signatureFile, JSON.stringify(signed))
  }
  const { payment, firstCutAtMs } = JSON.parse(readFileSync(signatureFile, 'utf8'))
  const bytesAt = (cutAtMs: number) => Buffer.from(`{"cut":${cutAtMs}}`)
  const outcome = await gate.run(
    requestFor(payment, {
      // Each process builds its answer for another cut time (here, its process id). A buyer who has paid must
      // get the answer of the first process.
      buildBody: async () => ({ bytes: bytesAt(process.pid), cutAtMs: process.pid }),
      rebuildBody: async (cutAtMs) => bytesAt(cutAtMs),
    }),
  )
  const isFirstAnswer = outcome.kind === 'paid' && outcome.bytes.equals(bytesAt(firstCutAtMs))
  writeFileSync(join(dataDir, 'outcome.json'), JSON.stringify({ kind: outcome.kind, isFirstAnswer }))
  await gate.close()
  await log.close()
}

const owed = JSON.stringify({ kind: 'paid', isFirstAnswer: true })

type Played = Readonly<{ root: string; points: readonly CrashPointName[]; count: number }>

export async function playPayments({ root, points, count }: Played, report: CampaignReport): Promise<void> {
  const double = await startFacilitatorDouble()
  const chain = await serveProbe(double.probe)
  const payment = { facilitatorUrl: double.url, chainUrl: chain.url }
  try {
    for (const name of points)
      for (let turn = 0; turn < count; turn++) {
        const movedBefore = double.transfers.size
        const job: ChildJob = { job: 'pay', dataDir: join(root, `${name}-${turn}`), span, payment }
        const { ending } = await runChild({ ...job, crash: { name, hit: 1 } })
        if (ending === 'killed') countKill(report, name)
        await runChild(job)
        const outcome = readFileSync(join(job.dataDir, 'outcome.json'), 'utf8')
        const moved = double.transfers.size - movedBefore
        if (outcome !== owed || moved !== 1)
          report.mismatches.push(`${name}, turn ${turn}: ${outcome}, ${moved} transfers`)
      }
  } finally {
    await chain.stop()
    await double.stop()
  }
}

async function serveProbe(probe: Awaited<ReturnType<typeof startFacilitatorDouble>>['probe']) {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    response.end(JSON.stringify(await probe(JSON.parse(Buffer.concat(chunks).toString()))))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
