/** `npm run attacks -- hostile-pages` prints the result of each case. */
import { expect } from 'chai'
import { isUnhurtByPages, readHostile } from './hostile-pages.ts'

describe('answers at their worst', () => {
  for (const whom of ['chats', 'aggregator', 'rug check', 'Helius'] as const)
    it(`of ${whom} are each refused or read, and neither end the program nor take its time or memory`, async () => {
      const read = await readHostile(whom)
      expect(isUnhurtByPages(read), JSON.stringify(read, null, 1)).to.equal(true)
    }).timeout(240_000)
})
