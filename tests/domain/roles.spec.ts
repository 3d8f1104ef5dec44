import { expect } from 'chai'
import { allows, isRole, roleKeys, roles } from '../../domain/roles.ts'

describe('Roles', () => {
  it('AUT-05 are these six, with these names', () => {
    expect(roles).to.deep.equal({
      global_admin: 'Global administrator',
      security_admin: 'Security administrator',
      user_admin: 'User administrator',
      helpdesk_admin: 'Helpdesk administrator',
      app_admin: 'Application administrator',
      auditor: 'Auditor',
    })
  })
  it('AUT-05 are known by key; inherited properties are not roles', () => {
    for (const key of roleKeys) expect(isRole(key)).to.equal(true)
    for (const key of ['', 'Auditor', 'admin', 'GLOBAL_ADMIN', 'toString', '__proto__'])
      expect(isRole(key), key).to.equal(false)
  })
  it('AUT-05 allow what requires one of them; a global administrator may do everything', () => {
    for (const held of roleKeys)
      for (const required of roleKeys)
        expect(allows([held], [required])).to.equal(held === 'global_admin' || held === required)
    expect(allows(['auditor', 'app_admin'], ['user_admin', 'app_admin'])).to.equal(true)
    expect(allows(['global_admin'], [])).to.equal(true)
    expect(allows(['auditor'], [])).to.equal(false)
    expect(allows([], roleKeys)).to.equal(false)
  })
})
