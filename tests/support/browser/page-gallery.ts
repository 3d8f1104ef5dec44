import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { loadAssets } from '../../../adapters/inbound/web/assets.ts'
import { contentSecurityPolicy } from '../../../adapters/inbound/web/kit/csp.ts'
import { samplePages } from './page-samples.ts'

/** Shows every page in every possible state, with made-up content. The pages have no API behind them. */
export interface PageGallery {
  readonly origin: string
  /** The origin of each form submission. */
  readonly posts: readonly string[]
  readonly close: () => Promise<void>
}

export const openPageGallery = async (): Promise<PageGallery> => {
  const assets = await loadAssets()
  const posts: string[] = []
  const app = express()
  const server = app.listen(0, 'localhost')
  await once(server, 'listening')
  const origin = `http://localhost:${String((server.address() as AddressInfo).port)}`

  app.use((_, response, next) => {
    response.set('Content-Security-Policy', contentSecurityPolicy())
    next()
  })
  for (const { path, handlers } of assets.endpoints)
    app.get(path, (request, response) => void handlers.GET?.(request, response, {}))
  app.use(express.urlencoded({ extended: false }))
  app.post('/posted', (request, response) => {
    posts.push(request.get('origin') ?? 'nowhere')
    response.type('text').send(JSON.stringify(request.body))
  })
  app.post('/leave', (request, response) => response.redirect(303, (request.body as { to: string }).to))
  app.get('/elsewhere', (_, response) => void response.type('text').send('elsewhere'))
  app.get('/{*page}', (request, response) => {
    const render = samplePages[request.path]
    const language = request.query['language'] === 'de' ? 'de' : 'en'
    if (render === undefined) return void response.status(404).end()
    return void response.type('html').send(render({ asset: assets.url, origin, language }))
  })

  return {
    origin,
    posts,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
