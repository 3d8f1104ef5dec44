import { expect } from 'chai'
import { logoImages } from '../../../adapters/inbound/api/logo-images.ts'
import type { LogoVersion } from '../../../domain/logo.ts'

describe('images of logos', () => {
  const versionOf = (digest: string): LogoVersion => ({ mediaType: 'image/png', digest })

  it('are read again only if the memory for the images used last was too small', async () => {
    const image = logoImages(10)
    const read: string[] = []
    const ask = async (digest: string, bytes: number) => {
      const { content } = await image(versionOf(digest), undefined, () => {
        read.push(digest)
        return Promise.resolve({
          ...versionOf(digest),
          content: Buffer.alloc(bytes).toString('base64'),
        })
      })
      expect(content.data).to.have.length(bytes)
    }
    await ask('a', 4)
    await ask('b', 4)
    await ask('a', 4)
    await ask('c', 4)
    await ask('a', 4)
    expect(read, 'the one used last is kept').to.deep.equal(['a', 'b', 'c'])
    await ask('b', 4)
    expect(read, 'another is not').to.deep.equal(['a', 'b', 'c', 'b'])
    await ask('large', 11)
    await ask('large', 11)
    expect(read, 'nor is one that is larger than the memory').to.deep.equal([
      ...['a', 'b', 'c', 'b'],
      ...['large', 'large'],
    ])
  })
})
