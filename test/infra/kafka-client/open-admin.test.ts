import { expect } from 'chai'
import { isUnreachable } from '../../../infra/kafka-client/broker-errors.ts'
import { openAdmin } from '../../../infra/kafka-client/open-admin.ts'
import { type BrokerAnswer, startBrokerDouble } from '../../support/log/broker-double.ts'

const answers: Readonly<Record<string, BrokerAnswer>> = {
  'says nothing': () => {},
  'sends bytes without end': (socket) => {
    const more = () => {
      while (!socket.destroyed && socket.write(Buffer.from('0000000c7ffffff00000000000000000', 'hex')));
    }
    socket.on('drain', more)
    more()
  },
}

describe('the administration of a cluster', () => {
  for (const [name, answer] of Object.entries(answers))
    it(`fails like one that is away where a broker ${name}, and leaves no connection`, async () => {
      const broker = await startBrokerDouble(answer)
      const times = { connectionTimeout: 200, requestTimeout: 200, retry: { retries: 1, initialRetryTime: 1 } }
      const admin = openAdmin({ brokers: [`127.0.0.1:${broker.port}`], security: undefined, ...times })
      try {
        const asking = async () => {
          await admin.connect()
          return admin.listTopics()
        }
        const error = await asking().catch((failure: unknown) => failure)
        expect(isUnreachable(error), String(error)).to.equal(true)
        await admin.disconnect()
        while (broker.sockets.size > 0) await new Promise(setImmediate)
      } finally {
        await broker.stop()
      }
    })
})
