import { expect } from 'chai'
import {
  defaultMethodSettings,
  isAllowed,
  methodSettingsDecider,
  methodTypes,
  noAttestation,
  settingAfter,
  type AdministratorWays,
  type MethodSettingsCommand,
} from '../../domain/method-settings/decider.ts'
import type { MethodSetting, MethodSettingsEvent, MethodType } from '../../domain/method-settings/events.ts'
import { id } from '../support/fixed.ts'
import { given } from '../support/domain/given.ts'

const staff = id('group')
const options = noAttestation

const update = (
  methodType: MethodType,
  fields: Partial<MethodSetting>,
  more: Partial<MethodSettingsCommand> = {},
): MethodSettingsCommand => ({
  type: 'update',
  methodType,
  fields,
  administrators: [],
  strongOnly: false,
  force: false,
  ...more,
})

const changed = (methodType: MethodType, field: string, from: unknown, to: unknown): MethodSettingsEvent => ({
  type: 'method_settings.updated',
  data: { methodType, changes: [{ field, from, to }] },
})
const off = (methodType: MethodType) => changed(methodType, 'enabled', true, false)
const limited = (methodType: MethodType, ...groupIds: string[]) =>
  changed(methodType, 'allowedGroupIds', null, groupIds)

const grace = (...methods: MethodType[]): AdministratorWays => ({
  email: 'grace@example.com',
  methods,
  groupIds: [],
})

const settings = (...past: readonly MethodSettingsEvent[]) => given(methodSettingsDecider, ...past)

describe('Sign-in method settings', () => {
  it('SGN-01 initially have every method enabled for all users, and any model of authenticator', () => {
    for (const type of methodTypes)
      expect(defaultMethodSettings[type]).to.deep.include({ enabled: true, allowedGroupIds: null })
    expect(defaultMethodSettings.passkey.options).to.deep.equal(options)
    expect(defaultMethodSettings.magic_link.options).to.equal(null)
  })

  it('SGN-01 record what changes, and nothing when all have the requested values', () => {
    settings()
      .when(update('magic_link', { enabled: false }))
      .then(off('magic_link'))
    settings(off('magic_link'))
      .when(update('magic_link', { enabled: false }))
      .changesNothing()
    settings().when(update('magic_link', {})).changesNothing()
    settings(off('magic_link'))
      .when(update('magic_link', { enabled: true }))
      .then(changed('magic_link', 'enabled', false, true))
  })

  it('SGN-01 apply to groups, or to all users again', () => {
    settings()
      .when(update('passkey', { allowedGroupIds: [staff] }))
      .then(limited('passkey', staff))
    settings(limited('passkey', staff))
      .when(update('passkey', { allowedGroupIds: null }))
      .then(changed('passkey', 'allowedGroupIds', [staff], null))
    settings()
      .when(update('passkey', { allowedGroupIds: [] }))
      .refuses('ERR_INVALID', /at least one group/, '/allowedGroupIds')
  })

  it('SGN-01 allow members of one of the groups, while the method is enabled', () => {
    const setting = { enabled: true, allowedGroupIds: [staff], options: null }
    expect(isAllowed(setting, [id('group', 2), staff])).to.equal(true)
    expect(isAllowed(setting, [id('group', 2)])).to.equal(false)
    expect(isAllowed({ ...setting, enabled: false }, [staff])).to.equal(false)
    expect(isAllowed({ ...setting, allowedGroupIds: null }, [])).to.equal(true)
  })

  it('SGN-01 accept only consistent requirements for authenticators', () => {
    const preferred = { ...options, userVerification: 'preferred' } as const
    settings()
      .when(update('security_key', { options: preferred }))
      .then(changed('security_key', 'options', options, preferred))
    settings()
      .when(update('passkey', { options: preferred }))
      .refuses('ERR_INVALID', /preferred/, '/options/userVerification')
    settings()
      .when(update('magic_link', { options }))
      .refuses('ERR_INVALID', /not allowed/, '/options')
    settings()
      .when(update('passkey', { options: null }))
      .refuses('ERR_INVALID', /an object/, '/options')
    const aaguids = ['cb69481e-8ff7-4039-93ec-0a2729a154a8']
    settings()
      .when(update('passkey', { options: { ...options, allowedAaguids: aaguids } }))
      .refuses('ERR_INVALID', /attestation is "none"/, '/options/allowedAaguids')
    settings()
      .when(update('passkey', { options: { ...options, attestationRoots: ['root'] } }))
      .refuses('ERR_INVALID', /attestation is "none"/, '/options/attestationRoots')
    const unproven = { ...options, attestation: 'direct', allowedAaguids: aaguids } as const
    settings()
      .when(update('passkey', { options: unproven }))
      .refuses('ERR_INVALID', /at least one certificate/, '/options/attestationRoots')
    const direct = { ...unproven, attestationRoots: ['root'] }
    settings()
      .when(update('passkey', { options: direct }))
      .then(changed('passkey', 'options', options, direct))
  })

  it('SGN-01 options that an earlier version stored trust no root', () => {
    const { attestationRoots: _, ...stored } = { ...options, attestation: 'direct' }
    const setting = settingAfter({ enabled: true, allowedGroupIds: null, options }, [
      { field: 'options', from: options, to: stored },
    ])
    expect(setting.options).to.deep.equal({ ...stored, attestationRoots: [] })
  })

  it('SGN-05 one sign-in method must stay enabled; recovery codes do not count', () => {
    const others = methodTypes.filter((type) => type !== 'passkey' && type !== 'recovery_codes')
    for (const force of [false, true])
      settings(...others.map(off))
        .when(update('passkey', { enabled: false }, { force }))
        .refuses('ERR_CONFLICT', /stay enabled/)
    settings(...others.map(off))
      .when(update('recovery_codes', { enabled: false }))
      .then(off('recovery_codes'))
  })

  it('SGN-05 every global administrator keeps a sign-in method, unless force is set', () => {
    const administrators = [grace('passkey')]
    settings()
      .when(update('passkey', { enabled: false }, { administrators }))
      .refuses('ERR_CONFLICT', /grace@example\.com.*force/)
    settings()
      .when(update('passkey', { enabled: false }, { administrators, force: true }))
      .then(off('passkey'))
    settings()
      .when(
        update('passkey', { enabled: false }, { administrators: [grace('passkey', 'authenticator_code')] }),
      )
      .then(off('passkey'))
    settings(off('authenticator_code'))
      .when(
        update('passkey', { enabled: false }, { administrators: [grace('passkey', 'authenticator_code')] }),
      )
      .refuses('ERR_CONFLICT', /grace/)
    settings()
      .when(update('passkey', { allowedGroupIds: [staff] }, { administrators }))
      .refuses('ERR_CONFLICT', /grace/)
    settings()
      .when(
        update(
          'passkey',
          { allowedGroupIds: [staff] },
          { administrators: [{ ...grace('passkey'), groupIds: [staff] }] },
        ),
      )
      .then(limited('passkey', staff))
  })

  it('SGN-05 do not count other methods for administrators if they need passkeys', () => {
    const administrators = [grace('passkey', 'authenticator_code')]
    settings()
      .when(update('passkey', { enabled: false }, { administrators, strongOnly: true }))
      .refuses('ERR_CONFLICT', /grace/)
  })

  it('SGN-05 ignore administrators who already have no sign-in method', () => {
    settings(off('authenticator_code'))
      .when(update('passkey', { enabled: false }, { administrators: [grace('authenticator_code')] }))
      .then(off('passkey'))
  })
})
