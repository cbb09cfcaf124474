/*
 * Addresses as a 32-bit kernel had them, which is what the hash functions of its time were fed.
 *
 * The subject's frames, by descriptor number, are that machine's memory from 0 up, mapped at
 * PAGE_OFFSET. So neighbours are neighbours, and where an instance's allocator puts inodes shows in
 * their hashes. So many have addresses of their own.
 */
#ifndef TT_CACHE_ADDRESS_H
#define TT_CACHE_ADDRESS_H

#include <arch/param.h>

#include <stdint.h>

#define I386_PAGE_OFFSET 0xc0000000u
#define I386_PAGES       (1u << (32 - PAGE_SHIFT))
#define I386_TOO_LARGE   "more memory than 32-bit addresses reach; valid: subject= up to 4G"

static inline uint32_t i386_address(uint32_t page)
{
    return I386_PAGE_OFFSET + (page << PAGE_SHIFT);
}

static inline uint32_t i386_page(uint32_t address)
{
    return (address - I386_PAGE_OFFSET) >> PAGE_SHIFT;
}

/*
 * Linux 2.2's inodes came in pages of their own, packed from the start (grow_inodes); 284 bytes
 * is the struct of a kernel with no file system but the smallest.
 */
#define INODE_BYTES     284u
#define INODES_PER_PAGE ((uint32_t)PAGE_SIZE / INODE_BYTES)

static inline uint32_t inode_address(uint32_t page, uint32_t slot)
{
    return i386_address(page) + slot * INODE_BYTES;
}

/* The inode that all pages of the swap cache belong to: somewhere in the image's data, and on no
 * place that a packed inode has. */
#define SWAPPER_INODE 0xc02040e0u

/* A swap entry as i386 had it: type << 1 | offset << 8, here of the first swap file. */
#define SWAP_ENTRY(n) ((uint32_t)(n) << 8)

#endif
