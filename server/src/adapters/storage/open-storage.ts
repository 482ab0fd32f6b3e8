/** The storage that a setting names. */
import { createFileStorage } from './files.ts'
import type { KeepingStorage } from './port.ts'
import { createS3Storage, type S3Place, type S3Times } from './s3.ts'

export type StoragePlace = { readonly kind: 'files'; readonly folder: string } | S3Place

export const openStorage = (place: StoragePlace, times?: S3Times): KeepingStorage =>
  place.kind === 'files' ? createFileStorage(place) : createS3Storage(place, times)
