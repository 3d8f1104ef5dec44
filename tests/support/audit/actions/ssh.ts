import { newKeyOf } from '../../ssh/openssh-keys.ts'
import type { AuditKit, Step } from './kit.ts'

/** Steps for the SSH authority; they need a group. */
export const sshSteps = ({ admin, made, of, to, call, keep }: AuditKit): readonly Step[] => {
  let rotatedFrom = ''
  let rotatedTo = ''
  return [
    [
      'map a group to SSH principals',
      [['ssh.mapping.create', 'Mapped the group People to the SSH principals deploy, root']],
      keep(
        'mapping',
        call('POST', to('/ssh/principal-mappings'), () => ({
          groupId: of('group'),
          principals: ['root', 'deploy'],
        })),
      ),
    ],
    [
      'limit an SSH principal mapping',
      [['ssh.mapping.update', 'Updated the SSH principal mapping deploy, root']],
      call('PATCH', to('/ssh/principal-mappings/:mapping'), () => ({ maxValiditySeconds: 3600 })),
    ],
    [
      'add the administrator to the group',
      [['group.member.add', 'Added Grace Admin to the group People (assigned)']],
      call(
        'PUT',
        () => `/groups/${of('group')}/members/${admin.userId}`,
        () => ({}),
      ),
    ],
    [
      'get an SSH certificate',
      [
        [
          'ssh.certificate.issue',
          () =>
            `Issued the SSH certificate ${of('serial')} to Grace Admin for deploy, root, valid until ${of('until')}Z`,
        ],
      ],
      async () => {
        const issued = await call('POST', to('/me/ssh/certificates'), () => ({
          publicKey: newKeyOf['ssh-ed25519'](),
        }))()
        made['serial'] = String(issued.serial)
        rotatedFrom = String(issued.authorityFingerprint)
        made['until'] = String(issued.validBefore).slice(0, 16)
      },
    ],
    [
      'revoke an SSH certificate',
      [['ssh.certificate.revoke', () => `Revoked the SSH certificate ${of('serial')} of Grace Admin`]],
      call('POST', to('/ssh/certificates/:serial/revoke'), () => ({ reason: 'A test' })),
    ],
    [
      'rotate the key of the SSH authority',
      [['ssh.ca.rotate', () => `Started signing SSH certificates with the key ${rotatedTo}`]],
      async () => {
        rotatedTo = String((await call('POST', to('/ssh/ca/rotate'))()).fingerprint)
      },
    ],
    [
      'revoke the previous key of the SSH authority',
      [['ssh.ca.revoke', () => `Revoked the SSH authority key ${rotatedFrom}`]],
      call('POST', to('/ssh/ca/revoke'), () => ({ fingerprint: rotatedFrom })),
    ],
    [
      'remove the administrator from the group',
      [['group.member.remove', 'Removed Grace Admin from the group People (removed)']],
      call('DELETE', () => `/groups/${of('group')}/members/${admin.userId}`),
    ],
    [
      'delete an SSH principal mapping',
      [['ssh.mapping.delete', 'Deleted the SSH principal mapping deploy, root']],
      call('DELETE', to('/ssh/principal-mappings/:mapping')),
    ],
  ]
}
