//===- NpyOutputTest.cpp - Blocks of .npy files ---------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Host/NpyOutput.h"
#include "shard/Host/Npy.h"
#include "shard/Host/Placement.h"

#include "gtest/gtest.h"

#include <cstdio>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

using namespace shard;

namespace {

class NpyOutputTest : public ::testing::Test {
protected:
  void SetUp() override { std::remove(path.c_str()); }
  void TearDown() override { std::remove(path.c_str()); }

  static bool exists(const std::string &file) {
    struct stat status;
    return stat(file.c_str(), &status) == 0;
  }

  std::string path = testing::TempDir() + "shard-npy-output.npy";
  std::string beside = path + ".token.part";
  std::string error;
};

/// A file with the header of a tensor and no room for its elements on the disk.
void makeSparse(const std::string &path, const std::vector<int64_t> &shape) {
  std::string header = npyHeader(ElementType::F32, shape);
  std::FILE *file = std::fopen(path.c_str(), "wb");
  ASSERT_TRUE(file);
  std::fwrite(header.data(), 1, header.size(), file);
  std::fflush(file);
  int64_t bytes = *numBytesOf(ElementType::F32, shape);
  ASSERT_EQ(ftruncate(fileno(file), header.size() + bytes), 0);
  std::fclose(file);
}

} // namespace

// What all first replicas write together is the whole tensor, for every sharding of a few
// grids, uneven ones, halos and elements of each width included.
TEST_F(NpyOutputTest, BlocksOfDevicesMakeTheWhole) {
  Grid grid{{2, 3}};
  std::vector<Sharding> shardings;
  for (const std::vector<AxisList> &dims : {std::vector<AxisList>{{}, {}, {}},
                                            {{0}, {}, {}},
                                            {{}, {0}, {1}},
                                            {{1}, {}, {0}},
                                            {{}, {}, {1, 0}},
                                            {{0, 1}, {}, {}}}) {
    Sharding sharding;
    sharding.dims = dims;
    shardings.push_back(sharding);
  }
  shardings[2].halos = {1, 0, 0, 1};
  for (ElementType type : {ElementType::I8, ElementType::BF16, ElementType::F32,
                           ElementType::C128})
    for (const Sharding &sharding : shardings) {
      HostTensor whole(type, {5, 4, 7});
      fillRandom(whole, 1, 2);
      NpyOutput output(path, "token", type, whole.shape());
      ASSERT_TRUE(output.create(error)) << error;
      for (int64_t device = 0; device < grid.numDevices(); ++device) {
        if (firstReplica(grid, sharding, device) != device)
          continue;
        HostTensor local = sliceForDevice(grid, whole, sharding, device);
        std::vector<int64_t> offsets;
        HostTensor valid =
            validBlock(grid, whole.shape(), local, sharding, device, offsets);
        ASSERT_TRUE(output.write(valid, offsets, error)) << error;
      }
      EXPECT_FALSE(exists(path));
      ASSERT_TRUE(output.commit(error)) << error;
      EXPECT_FALSE(exists(beside));
      std::optional<HostTensor> read = mapNpy(path, type, error);
      ASSERT_TRUE(read) << error;
      EXPECT_EQ(read->shape(), whole.shape());
      EXPECT_EQ(std::memcmp(read->data(), whole.data(), whole.numBytes()), 0)
          << toString(sharding);
      std::remove(path.c_str());
    }
}

TEST_F(NpyOutputTest, ReplacesAndDiscards) {
  HostTensor old(ElementType::F32, {2}), scalar(ElementType::F64, {});
  ASSERT_TRUE(writeNpy(path, old, error)) << error;
  chmod(path.c_str(), 0640);
  NpyOutput first(path, "token", ElementType::F64, {});
  ASSERT_TRUE(first.create(error)) << error;
  first.discard();
  EXPECT_FALSE(exists(beside));
  EXPECT_EQ(readNpy(path, ElementType::F32, error)->shape(), old.shape());

  // A link stays a link; permissions stay.
  std::string link = path + ".link";
  std::remove(link.c_str());
  ASSERT_EQ(symlink(path.c_str(), link.c_str()), 0);
  NpyOutput second(link, "token", ElementType::F64, {});
  ASSERT_TRUE(second.create(error)) << error;
  ASSERT_TRUE(second.write(scalar, {}, error)) << error;
  ASSERT_TRUE(second.commit(error)) << error;
  std::remove(link.c_str());
  EXPECT_TRUE(readNpy(path, ElementType::F64, error)->shape().empty());
  struct stat status;
  ASSERT_EQ(stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640u);
}

TEST_F(NpyOutputTest, SaysWhatCannotBeWritten) {
  bool isSpecial = false;
  EXPECT_EQ(problemOfOutput(path, isSpecial), "");
  EXPECT_FALSE(exists(path));
  std::string absent = path + ".absent/x.npy";
  EXPECT_EQ(problemOfOutput(absent, isSpecial),
            "cannot write '" + absent + "': No such file or directory");
  EXPECT_EQ(problemOfOutput("/", isSpecial),
            "cannot write '/': Is a directory");
  EXPECT_FALSE(isSpecial);
  EXPECT_EQ(problemOfOutput("/dev/null", isSpecial), "");
  EXPECT_TRUE(isSpecial);
  NpyOutput output(absent, "token", ElementType::F32, {2});
  EXPECT_FALSE(output.create(error));
  EXPECT_EQ(error, "cannot write '" + absent +
                       ".token.part': No such file or directory");
  // More than any disk has.
  NpyOutput large(path, "token", ElementType::F32, {int64_t(1) << 58});
  EXPECT_FALSE(large.create(error));
  EXPECT_FALSE(exists(beside));
}

// A block of a file that is larger than the memory of the machine.
TEST_F(NpyOutputTest, MappedFilesAreNotLoadedWhole) {
  std::vector<int64_t> shape = {1 << 22, 1 << 16};
  makeSparse(path, shape);
  if (HasFatalFailure())
    return;
  std::optional<HostTensor> whole = mapNpy(path, ElementType::F32, error);
  ASSERT_TRUE(whole) << error;
  EXPECT_EQ(whole->shape(), shape);
  Grid grid{{1 << 20}};
  Sharding sharding;
  sharding.dims = {{0}, {}};
  HostTensor block = sliceForDevice(grid, *whole, sharding, 12345);
  EXPECT_EQ(block.shape(), (std::vector<int64_t>{4, 1 << 16}));
  EXPECT_EQ(block.asDouble(77), 0.0);
}
