import { useTexts } from '../text.tsx'
import { Breakable } from './breakable.tsx'
import { Button } from './button.tsx'
import { commonTexts } from './common-texts.ts'
import styles from './kit.module.css'
import { useToast } from './toast.tsx'

/** A value to copy. `once` says that it will not be shown again. */
export const Copy = ({
  label,
  value,
  once = false,
}: {
  readonly label: string
  readonly value: string
  readonly once?: boolean
}) => {
  const text = useTexts(commonTexts)
  const toast = useToast()
  return (
    <div className={styles['copy']}>
      <span className={styles['copyLabel']}>{label}</span>
      <code className={styles['copyValue']}>
        <Breakable>{value}</Breakable>
      </code>
      <Button
        small
        onClick={() => {
          void navigator.clipboard.writeText(value).then(() => {
            toast(text.copied)
          })
        }}
      >
        {text.copy}
        <span className="visually-hidden"> {label}</span>
      </Button>
      {once && <p className="hint">{text.onlyOnce}</p>}
    </div>
  )
}
