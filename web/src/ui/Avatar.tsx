/** A member's picture: the image, else initials, else a generic icon. It is hidden from screen readers, because the name is beside it. */
import { useState } from 'react'
import { PersonIcon } from './icons.tsx'
import { initialsOf } from './format.ts'

type AvatarProps = {
  readonly name: string
  /** A full URL, or a path on our own server. */
  readonly src: string | null
  readonly size?: 'sm' | 'lg'
  /** The number of initials, at most two. */
  readonly letters?: 1 | 2
}

export function Avatar({ name, src, size = 'sm', letters = 2 }: AvatarProps) {
  const [broken, setBroken] = useState<string>()
  const initials = initialsOf(name, letters)
  const address = src === null || src === '' ? undefined : src.startsWith('http') || src.startsWith('/') ? src : `/${src}`
  return (
    <span className={`avatar ${size}`} aria-hidden="true">
      {address !== undefined && address !== broken ? (
        <img src={address} alt="" onError={() => setBroken(address)} />
      ) : initials === '' ? (
        <PersonIcon size={size === 'lg' ? 56 : 22} />
      ) : (
        initials
      )}
    </span>
  )
}
