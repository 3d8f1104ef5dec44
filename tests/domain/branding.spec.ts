import { expect } from 'chai'
import fc from 'fast-check'
import { accentTokens, contrast, isColor } from '../../domain/branding/accent.ts'
import { brandingDecider } from '../../domain/branding/decider.ts'
import type { BrandingEvent } from '../../domain/branding/events.ts'
import { isRasterImage, type Logo } from '../../domain/logo.ts'
import { SEED } from '../support/random.ts'
import { given } from '../support/domain/given.ts'

const png: Logo = { mediaType: 'image/png', digest: 'one', content: 'iVBORw==' }
const jpeg: Logo = { mediaType: 'image/jpeg', digest: 'two', content: '/9j/' }
const updated = (data: Logo): BrandingEvent => ({ type: 'branding.logo_updated', data })
const deleted = (digest: string): BrandingEvent => ({ type: 'branding.logo_deleted', data: { digest } })

describe('Branding', () => {
  it('API-11 the logo is set, replaced and removed; the same one changes nothing', () => {
    given(brandingDecider).when({ type: 'set_logo', logo: png }).then(updated(png))
    given(brandingDecider, updated(png)).when({ type: 'set_logo', logo: png }).changesNothing()
    given(brandingDecider, updated(png)).when({ type: 'set_logo', logo: jpeg }).then(updated(jpeg))
    given(brandingDecider, updated(png)).when({ type: 'delete_logo' }).then(deleted('one'))
    given(brandingDecider, updated(png), deleted('one')).when({ type: 'delete_logo' }).changesNothing()
    given(brandingDecider, updated(png), deleted('one'))
      .when({ type: 'set_logo', logo: png })
      .then(updated(png))
    given(brandingDecider).when({ type: 'delete_logo' }).changesNothing()
  })

  it('API-11 the accent colour is set, changed and removed; the same one changes nothing', () => {
    const colored = (accentColor: string | null): BrandingEvent => ({
      type: 'branding.updated',
      data: { accentColor },
    })
    const update = (accentColor: string | null) => ({ type: 'update', accentColor }) as const
    given(brandingDecider).when(update('#7A1FA2')).then(colored('#7a1fa2'))
    given(brandingDecider, colored('#7a1fa2')).when(update('#7A1FA2')).changesNothing()
    given(brandingDecider, updated(png), colored('#7a1fa2')).when(update(null)).then(colored(null))
    given(brandingDecider, colored('#7a1fa2')).when({ type: 'delete_logo' }).changesNothing()
    given(brandingDecider).when(update(null)).changesNothing()
    for (const wrong of ['red', '#fff', '#12345g', 'url(x)', '#123456;}'])
      given(brandingDecider)
        .when(update(wrong))
        .refuses('ERR_INVALID', /accentColor/, '/accentColor')
  })

  it('API-11 any accent colour gives readable text in both themes, and a readable one stays as it is', () => {
    const grounds = {
      light: ['#ffffff', '#f4f5f2', '#f7f8f6'],
      dark: ['#0e1314', '#171d1f', '#1c2426'],
    } as const
    const color = fc
      .integer({ min: 0, max: 0xffffff })
      .map((value) => `#${value.toString(16).padStart(6, '0')}`)
    fc.assert(
      fc.property(color, (chosen) => {
        const tokens = accentTokens(chosen)
        for (const theme of ['light', 'dark'] as const) {
          const { accent, accentStrong, onAccent, accentWash, groundGlow } = tokens[theme]
          for (const value of Object.values(tokens[theme])) expect(isColor(value), value).to.equal(true)
          for (const ground of [...grounds[theme], accentWash, groundGlow]) {
            expect(contrast(accent, ground), `${chosen}: ${accent} on ${ground}`).to.be.least(4.5)
            expect(contrast(accentStrong, ground)).to.be.least(4.5)
          }
          expect(contrast(onAccent, accent), `${chosen}: ${onAccent} on ${accent}`).to.be.least(4.5)
        }
      }),
      { seed: SEED, numRuns: 500 },
    )
    expect(accentTokens('#0f5f66').light.accent).to.equal('#0f5f66')
    expect(contrast('#000000', '#ffffff')).to.equal(21)
  })

  const files = {
    'image/png': Buffer.from('89504e470d0a1a0a0000', 'hex'),
    'image/jpeg': Buffer.from('ffd8ffe000104a464946', 'hex'),
    'image/webp': Buffer.from('RIFF\u0001\u0002\u0003\u0004WEBPVP8 ', 'latin1'),
  } as const
  for (const type of Object.keys(files) as (keyof typeof files)[])
    it(`API-11 ${type} is told from other files`, () => {
      for (const [other, bytes] of Object.entries(files))
        expect(isRasterImage(type, bytes), other).to.equal(other === type)
      for (const bytes of [Buffer.alloc(0), Buffer.from('<svg/>'), files[type].subarray(1)])
        expect(isRasterImage(type, bytes)).to.equal(false)
    })
})
