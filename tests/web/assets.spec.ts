import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import express from 'express'
import { loadAssets, type Assets } from '../../adapters/inbound/web/assets.ts'

const scripts = ['sign-in.js', 'enroll.js', 'account.js', 'submit.js']

describe('web assets', function () {
  this.timeout(30_000)
  let assets: Assets
  let server: Server
  let origin: string

  before(async () => {
    assets = await loadAssets()
    const app = express()
    for (const { path, handlers } of assets.endpoints)
      app.get(path, (request, response) => void handlers.GET?.(request, response, {}))
    server = app.listen(0, 'localhost')
    await once(server, 'listening')
    origin = `http://localhost:${(server.address() as AddressInfo).port}`
  })
  after(() => void server.close())

  it('are served with hashed names, cacheable forever, with their types', async () => {
    const types = { 'sign-in.js': 'text/javascript', 'app.css': 'text/css', 'favicon.svg': 'image/svg+xml' }
    for (const [name, type] of Object.entries(types)) {
      const answer = await fetch(origin + assets.url(name))
      expect(answer.status).to.equal(200)
      expect(answer.headers.get('content-type')).to.include(type)
      expect(answer.headers.get('cache-control')).to.equal('public, max-age=31536000, immutable')
      expect(answer.headers.get('x-content-type-options')).to.equal('nosniff')
      expect((await answer.text()).length).to.be.greaterThan(100)
    }
    expect(assets.url('app.css')).to.equal((await loadAssets()).url('app.css'))
  })

  it('keep scripts under 15 kB compressed, and the stylesheet under 8 kB', async () => {
    for (const name of [...scripts, 'app.css']) {
      const text = await (await fetch(origin + assets.url(name))).text()
      expect(gzipSync(text).length, name).to.be.lessThan(name === 'app.css' ? 8_000 : 15_000)
    }
  })

  it('exist under no other name', async () => {
    for (const path of ['/assets/sign-in.js', '/assets/..%2fassets.ts', '/assets/__proto__'])
      expect((await fetch(origin + path)).status).to.equal(404)
    expect(() => assets.url('console.js')).to.throw('Asset not found: console.js')
  })
})
