import { expect } from 'chai'
import * as textCacheModule from '../../../../infra/codec/avro/text-cache.ts'
import { compareCachedTexts } from '../../../support/hot-path/cached-texts.ts'

describe('the cache of texts', () => {
  it('returns the text of the bytes, also for texts that share a place, and makes few texts two times', () => {
    expect(compareCachedTexts(textCacheModule), 'every text was made each time').to.be.above(100)
  })
})
